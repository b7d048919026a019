/** Falcon. */
import type { Family } from '../declaration';
import { falcon } from './config';
import { falconLoss } from './simulation';

export const family: Family = {
  name: 'falcon',
  modelTypes: {
    falcon: { kind: 'decoder', baseClass: 'FalconModel', read: falcon },
    RefinedWeb: { kind: 'decoder', baseClass: 'RWModel', read: falcon },
    RefinedWebModel: { kind: 'decoder', baseClass: 'RWModel', read: falcon },
  },
  simulation: {
    simulate: falconLoss,
    unrecorded: ({ stacks }) =>
      stacks.every(({ positions }) => positions.kind === 'rope')
        ? null
        : 'its positions, which are not rotary',
  },
};
