/** Idefics3 and SmolVLM. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { idefics3 } from './config';
import { idefics3Tower } from './tower';

export const family: Family = {
  name: 'idefics3',
  modelTypes: {
    idefics3: { kind: 'model', baseClass: 'Idefics3Model', read: idefics3 },
    smolvlm: { kind: 'model', baseClass: 'SmolVLMModel', read: idefics3 },
  },
  towers: {
    idefics3: { read: idefics3Tower, defaults: defaults.idefics3_vision.part },
    idefics3_vision: { read: idefics3Tower, defaults: defaults.idefics3_vision.part },
    smolvlm_vision: { read: idefics3Tower, defaults: defaults.smolvlm_vision.part },
  },
  simulation: null,
};
