/** Qwen2-Audio. */
import type { Family } from '../declaration';
import { readQwen2Audio } from './config';

export const family: Family = {
  name: 'qwen2_audio',
  modelTypes: {
    qwen2_audio: { kind: 'model', baseClass: 'Qwen2AudioModel', read: readQwen2Audio },
  },
  simulation: null,
};
