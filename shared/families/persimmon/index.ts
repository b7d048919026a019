/** Persimmon and Fuyu's language model. */
import type { Family } from '../declaration';
import { readPersimmon } from './config';
import { simulatePersimmon } from './simulation';

export const family: Family = {
  name: 'persimmon',
  modelTypes: {
    persimmon: { kind: 'decoder', baseClass: 'PersimmonModel', read: readPersimmon },
  },
  simulation: {
    simulate: simulatePersimmon,
    recorded: ['persimmon'],
  },
};
