/** SmolLM3. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { simulateSmollm3 } from './simulation';
import { readSmollm3 } from './config';

export const family: Family = {
  name: 'smollm3',
  modelTypes: {
    smollm3: { kind: 'decoder', baseClass: 'SmolLM3Model', read: readSmollm3, defaults: defaults.smollm3 },
  },
  simulation: {
    simulate: simulateSmollm3,
    recorded: ['smollm3'],
  },
};
