/** Phi-3 Vision and Phi-3.5 Vision. */
import type { Family } from '../declaration';
import { readPhi3Vision } from './config';

export const family: Family = {
  name: 'phi3_v',
  modelTypes: {
    phi3_v: { kind: 'model', baseClass: 'Phi3VModel', read: readPhi3Vision },
  },
  simulation: null,
};
