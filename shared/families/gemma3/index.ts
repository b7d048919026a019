/** Gemma 3, with or without its vision tower. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { gemma3 } from './config';
import { gemma3Vision } from './vision';
import { simulateGemma3 } from './simulation';

export const family: Family = {
  name: 'gemma3',
  modelTypes: {
    gemma3_text: {
      kind: 'decoder',
      baseClass: 'Gemma3TextModel',
      read: gemma3,
      defaults: defaults.gemma3_text,
    },
    gemma3: { kind: 'model', baseClass: 'Gemma3Model', read: gemma3Vision },
  },
  simulation: {
    simulate: simulateGemma3,
  },
};
