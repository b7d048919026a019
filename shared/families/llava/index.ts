/** LLaVA and its successors. */
import type { Family } from '../declaration';
import { llava, llavaNext, llavaOnevision } from './config';

export const family: Family = {
  name: 'llava',
  modelTypes: {
    llava: { kind: 'model', baseClass: 'LlavaModel', read: llava },
    llava_llama: { kind: 'model', baseClass: 'LlavaLlamaModel', read: llava },
    llava_next: { kind: 'model', baseClass: 'LlavaNextModel', read: llavaNext },
    llava_onevision: { kind: 'model', baseClass: 'LlavaOnevisionModel', read: llavaOnevision },
  },
  simulation: null,
};
