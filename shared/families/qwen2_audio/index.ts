/** Qwen2-Audio. */
import type { Family } from '../declaration';
import { qwen2Audio } from './config';

export const family: Family = {
  name: 'qwen2_audio',
  modelTypes: {
    qwen2_audio: { kind: 'model', baseClass: 'Qwen2AudioModel', read: qwen2Audio },
  },
  simulation: null,
};
