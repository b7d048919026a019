/** Vision transformers. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { vit } from './config';
import { vitLoss } from './simulation';

export const family: Family = {
  name: 'vit',
  modelTypes: {
    vit: { kind: 'model', baseClass: 'ViTModel', read: vit, defaults: defaults.vit },
    deit: { kind: 'model', baseClass: 'DeiTModel', read: vit, defaults: defaults.deit },
  },
  simulation: {
    simulate: vitLoss,
    supports: ({ head }) => head.kind === 'classifier',
  },
};
