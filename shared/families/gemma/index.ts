/** Gemma. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { gemma } from './config';
import { simulateGemma } from './simulation';

export const family: Family = {
  name: 'gemma',
  modelTypes: {
    gemma: { kind: 'decoder', baseClass: 'GemmaModel', read: gemma, defaults: defaults.gemma },
  },
  simulation: {
    simulate: simulateGemma,
  },
};
