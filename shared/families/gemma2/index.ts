/** Gemma 2. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readGemma2 } from './config';
import { simulateGemma2 } from './simulation';

export const family: Family = {
  name: 'gemma2',
  modelTypes: {
    gemma2: { kind: 'decoder', baseClass: 'Gemma2Model', read: readGemma2, defaults: defaults.gemma2 },
  },
  simulation: {
    simulate: simulateGemma2,
    recorded: ['gemma2'],
  },
};
