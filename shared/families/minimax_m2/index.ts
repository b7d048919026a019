/** MiniMax M2. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readMinimaxM2 } from './config';
import { simulateMinimaxM2 } from './simulation';

export const family: Family = {
  name: 'minimax_m2',
  modelTypes: {
    minimax_m2: {
      kind: 'decoder',
      baseClass: 'MiniMaxM2Model',
      read: readMinimaxM2,
      defaults: defaults.minimax_m2,
    },
  },
  simulation: {
    simulate: simulateMinimaxM2,
    recorded: [],
    unrecorded: () => 'its router',
  },
};
