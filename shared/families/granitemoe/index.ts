/** Granite MoE; `shared_intermediate_size` above 0 puts an MLP beside the experts. */
import type { Family } from '../declaration';
import { readGraniteMoe } from './config';
import { simulateGraniteMoe } from './simulation';

export const family: Family = {
  name: 'granite_moe',
  modelTypes: {
    granitemoe: { kind: 'decoder', baseClass: 'GraniteMoeModel', read: readGraniteMoe },
    granitemoeshared: { kind: 'decoder', baseClass: 'GraniteMoeSharedModel', read: readGraniteMoe },
  },
  simulation: {
    simulate: simulateGraniteMoe,
    recorded: ['granitemoe'],
    unrecorded: ({ modelType }) => (modelType === 'granitemoeshared' ? 'its shared MLP' : null),
  },
};
