/** Llama 3.2 Vision. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { mllama } from './config';
import { mllamaText } from './languageModel';

export const family: Family = {
  name: 'mllama',
  modelTypes: {
    mllama_text_model: {
      kind: 'decoder',
      baseClass: 'MllamaTextModel',
      read: mllamaText,
      defaults: defaults.mllama_text_model,
    },
    mllama: { kind: 'model', baseClass: 'MllamaModel', read: mllama },
  },
  simulation: null,
};
