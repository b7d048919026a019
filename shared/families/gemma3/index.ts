/** Gemma 3, with or without its vision tower. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readGemma3 } from './config';
import { readGemma3Vision } from './vision';
import { simulateGemma3 } from './simulation';

export const family: Family = {
  name: 'gemma3',
  modelTypes: {
    gemma3_text: {
      kind: 'decoder',
      baseClass: 'Gemma3TextModel',
      read: readGemma3,
      defaults: defaults.gemma3_text,
    },
    gemma3: { kind: 'model', baseClass: 'Gemma3Model', read: readGemma3Vision },
  },
  simulation: {
    simulate: simulateGemma3,
    recorded: ['gemma3_text'],
  },
};
