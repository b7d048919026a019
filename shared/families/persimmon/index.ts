/** Persimmon and Fuyu's language model. */
import type { Family } from '../declaration';
import { persimmon } from './config';
import { persimmonLoss } from './simulation';

export const family: Family = {
  name: 'persimmon',
  modelTypes: {
    persimmon: { kind: 'decoder', baseClass: 'PersimmonModel', read: persimmon },
  },
  simulation: {
    simulate: persimmonLoss,
  },
};
