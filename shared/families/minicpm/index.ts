/** MiniCPM, dense or with experts as wide as its MLP. */
import type { Family } from '../declaration';
import { readMiniCpm } from './config';

export const family: Family = {
  name: 'minicpm',
  modelTypes: {
    minicpm: { kind: 'decoder', baseClass: 'MiniCPMModel', read: readMiniCpm },
  },
  simulation: null,
};
