/** Voxtral. */
import type { Family } from '../declaration';
import { readVoxtral } from './config';

export const family: Family = {
  name: 'voxtral',
  modelTypes: {
    voxtral: { kind: 'model', baseClass: 'VoxtralModel', read: readVoxtral },
  },
  simulation: null,
};
