/** Gemma. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readGemma } from './config';
import { simulateGemma } from './simulation';

export const family: Family = {
  name: 'gemma',
  modelTypes: {
    gemma: { kind: 'decoder', baseClass: 'GemmaModel', read: readGemma, defaults: defaults.gemma },
  },
  simulation: {
    simulate: simulateGemma,
    recorded: ['gemma'],
  },
};
