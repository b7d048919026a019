/** Vision transformers. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readVit } from './config';
import { simulateVit } from './simulation';

export const family: Family = {
  name: 'vit',
  modelTypes: {
    vit: { kind: 'model', baseClass: 'ViTModel', read: readVit, defaults: defaults.vit },
    deit: { kind: 'model', baseClass: 'DeiTModel', read: readVit, defaults: defaults.deit },
  },
  simulation: {
    simulate: simulateVit,
    recorded: ['vit'],
    supports: ({ head }) => head.kind === 'classifier',
  },
};
