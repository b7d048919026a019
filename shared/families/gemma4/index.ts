/** Gemma 4, with or without its vision tower. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readGemma4 } from './config';
import { readGemma4Text } from './languageModel';

export const family: Family = {
  name: 'gemma4',
  modelTypes: {
    gemma4_text: {
      kind: 'decoder',
      baseClass: 'Gemma4TextModel',
      read: readGemma4Text,
      defaults: defaults.gemma4_text,
    },
    gemma4: { kind: 'model', baseClass: 'Gemma4Model', read: readGemma4 },
  },
  simulation: null,
};
