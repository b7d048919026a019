/** StarCoder2. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { simulateStarcoder2 } from './simulation';
import { readStarcoder2 } from './config';

export const family: Family = {
  name: 'starcoder2',
  modelTypes: {
    starcoder2: {
      kind: 'decoder',
      baseClass: 'Starcoder2Model',
      read: readStarcoder2,
      defaults: defaults.starcoder2,
    },
  },
  simulation: {
    simulate: simulateStarcoder2,
    recorded: ['starcoder2'],
  },
};
