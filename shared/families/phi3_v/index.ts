/** Phi-3 Vision and Phi-3.5 Vision. */
import type { Family } from '../declaration';
import { phi3Vision } from './config';

export const family: Family = {
  name: 'phi3_v',
  modelTypes: {
    phi3_v: { kind: 'model', baseClass: 'Phi3VModel', read: phi3Vision },
  },
  simulation: null,
};
