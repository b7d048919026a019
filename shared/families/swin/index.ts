/** Swin. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { swin } from './config';
import { swinLoss } from './simulation';

export const family: Family = {
  name: 'swin',
  modelTypes: {
    swin: { kind: 'model', baseClass: 'SwinModel', read: swin, defaults: defaults.swin },
  },
  simulation: {
    simulate: swinLoss,
    supports: ({ head }) => head.kind === 'classifier',
  },
};
