/** Voxtral. */
import type { Family } from '../declaration';
import { voxtral } from './config';

export const family: Family = {
  name: 'voxtral',
  modelTypes: {
    voxtral: { kind: 'model', baseClass: 'VoxtralModel', read: voxtral },
  },
  simulation: null,
};
