/** BioGPT. */
import type { Family } from '../declaration';
import { readBioGpt } from './config';

export const family: Family = {
  name: 'biogpt',
  modelTypes: {
    biogpt: { kind: 'decoder', baseClass: 'BioGptModel', read: readBioGpt },
  },
  simulation: null,
};
