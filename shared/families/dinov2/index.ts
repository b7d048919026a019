/** DINOv2, with or without registers. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readDinov2 } from './config';
import { simulateDinov2 } from './simulation';
import { hasPlainMlps } from '../common/simulation/supported';

export const family: Family = {
  name: 'dinov2',
  modelTypes: {
    dinov2: { kind: 'model', baseClass: 'Dinov2Model', read: readDinov2, defaults: defaults.dinov2 },
    dinov2_with_registers: {
      kind: 'model',
      baseClass: 'Dinov2WithRegistersModel',
      read: readDinov2,
      defaults: defaults.dinov2_with_registers,
    },
  },
  simulation: {
    simulate: simulateDinov2,
    recorded: ['dinov2'],
    supports: ({ head, modelType, stacks }) =>
      head.kind === 'classifier' && modelType === 'dinov2' && stacks.every(hasPlainMlps),
  },
};
