/** Mamba and Falcon Mamba. */
import type { Family } from '../declaration';
import { mamba } from './config';

export const family: Family = {
  name: 'mamba',
  modelTypes: {
    mamba: { kind: 'decoder', baseClass: 'MambaModel', read: mamba },
    falcon_mamba: { kind: 'decoder', baseClass: 'FalconMambaModel', read: mamba },
  },
  simulation: null,
};
