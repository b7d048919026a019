/** Swin. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readSwin } from './config';
import { simulateSwin } from './simulation';

export const family: Family = {
  name: 'swin',
  modelTypes: {
    swin: { kind: 'model', baseClass: 'SwinModel', read: readSwin, defaults: defaults.swin },
  },
  simulation: {
    simulate: simulateSwin,
    recorded: ['swin'],
    supports: ({ head }) => head.kind === 'classifier',
  },
};
