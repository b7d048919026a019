/** LLaVA and its successors. */
import type { Family } from '../declaration';
import { readLlava, readLlavaNext, readLlavaOnevision } from './config';

export const family: Family = {
  name: 'llava',
  modelTypes: {
    llava: { kind: 'model', baseClass: 'LlavaModel', read: readLlava },
    llava_llama: { kind: 'model', baseClass: 'LlavaLlamaModel', read: readLlava },
    llava_next: { kind: 'model', baseClass: 'LlavaNextModel', read: readLlavaNext },
    llava_onevision: { kind: 'model', baseClass: 'LlavaOnevisionModel', read: readLlavaOnevision },
  },
  simulation: null,
};
