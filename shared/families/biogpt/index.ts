/** BioGPT. */
import type { Family } from '../declaration';
import { bioGpt } from './config';

export const family: Family = {
  name: 'biogpt',
  modelTypes: {
    biogpt: { kind: 'decoder', baseClass: 'BioGptModel', read: bioGpt },
  },
  simulation: null,
};
