/** Idefics3 and SmolVLM. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readIdefics3 } from './config';
import { readIdefics3Tower } from './tower';

export const family: Family = {
  name: 'idefics3',
  modelTypes: {
    idefics3: { kind: 'model', baseClass: 'Idefics3Model', read: readIdefics3 },
    smolvlm: { kind: 'model', baseClass: 'SmolVLMModel', read: readIdefics3 },
  },
  towers: {
    idefics3: { read: readIdefics3Tower, defaults: defaults.idefics3_vision.part },
    idefics3_vision: { read: readIdefics3Tower, defaults: defaults.idefics3_vision.part },
    smolvlm_vision: { read: readIdefics3Tower, defaults: defaults.smolvlm_vision.part },
  },
  simulation: null,
};
