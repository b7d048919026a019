/** The state space under the names of transformers' Mamba 2. */
import type { Family } from '../declaration';
import { readMamba2 } from './config';

export const family: Family = {
  name: 'mamba2',
  modelTypes: {
    mamba2: { kind: 'decoder', baseClass: 'Mamba2Model', read: readMamba2 },
  },
  simulation: null,
};
