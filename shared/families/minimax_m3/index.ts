/** MiniMax M3, with or without its vision tower. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readMinimaxM3 } from './config';
import { readMinimaxM3Text } from './languageModel';

export const family: Family = {
  name: 'minimax_m3',
  modelTypes: {
    minimax_m3: { kind: 'decoder', baseClass: 'MiniMaxM3Model', read: readMinimaxM3Text },
    minimax_m3_vl_text: {
      kind: 'decoder',
      baseClass: 'MiniMaxM3VLTextModel',
      read: readMinimaxM3Text,
      defaults: defaults.minimax_m3_vl_text,
    },
    minimax_m3_vl: { kind: 'model', baseClass: 'MiniMaxM3VLModel', read: readMinimaxM3 },
  },
  simulation: null,
};
