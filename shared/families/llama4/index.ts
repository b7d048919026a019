/** Llama 4. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readLlama4 } from './config';
import { readLlama4Text } from './languageModel';

export const family: Family = {
  name: 'llama4',
  modelTypes: {
    llama4_text: {
      kind: 'decoder',
      baseClass: 'Llama4TextModel',
      read: readLlama4Text,
      defaults: defaults.llama4_text,
    },
    llama4: { kind: 'model', baseClass: 'Llama4Model', read: readLlama4 },
  },
  simulation: null,
};
