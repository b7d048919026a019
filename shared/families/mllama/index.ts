/** Llama 3.2 Vision. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readMllama } from './config';
import { readMllamaText } from './languageModel';

export const family: Family = {
  name: 'mllama',
  modelTypes: {
    mllama_text_model: {
      kind: 'decoder',
      baseClass: 'MllamaTextModel',
      read: readMllamaText,
      defaults: defaults.mllama_text_model,
    },
    mllama: { kind: 'model', baseClass: 'MllamaModel', read: readMllama },
  },
  simulation: null,
};
