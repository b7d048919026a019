/** Mamba and Falcon Mamba. */
import type { Family } from '../declaration';
import { readMamba } from './config';

export const family: Family = {
  name: 'mamba',
  modelTypes: {
    mamba: { kind: 'decoder', baseClass: 'MambaModel', read: readMamba },
    falcon_mamba: { kind: 'decoder', baseClass: 'FalconMambaModel', read: readMamba },
  },
  simulation: null,
};
