/** Gemma 4, with or without its vision tower. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { gemma4 } from './config';
import { gemma4Text } from './languageModel';

export const family: Family = {
  name: 'gemma4',
  modelTypes: {
    gemma4_text: {
      kind: 'decoder',
      baseClass: 'Gemma4TextModel',
      read: gemma4Text,
      defaults: defaults.gemma4_text,
    },
    gemma4: { kind: 'model', baseClass: 'Gemma4Model', read: gemma4 },
  },
  simulation: null,
};
