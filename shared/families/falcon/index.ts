/** Falcon. */
import type { Family } from '../declaration';
import { readFalcon } from './config';
import { simulateFalcon } from './simulation';

export const family: Family = {
  name: 'falcon',
  modelTypes: {
    falcon: { kind: 'decoder', baseClass: 'FalconModel', read: readFalcon },
    RefinedWeb: { kind: 'decoder', baseClass: 'RWModel', read: readFalcon },
    RefinedWebModel: { kind: 'decoder', baseClass: 'RWModel', read: readFalcon },
  },
  simulation: {
    simulate: simulateFalcon,
    recorded: ['falcon'],
    unrecorded: ({ stacks }) =>
      stacks.every(({ positions }) => positions.kind === 'rope')
        ? null
        : 'its positions, which are not rotary',
  },
};
