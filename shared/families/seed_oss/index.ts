/** Seed-OSS. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { seedOss } from './config';
import { simulateSeedOss } from './simulation';

export const family: Family = {
  name: 'seed_oss',
  modelTypes: {
    seed_oss: { kind: 'decoder', baseClass: 'SeedOssModel', read: seedOss, defaults: defaults.seed_oss },
  },
  simulation: {
    simulate: simulateSeedOss,
  },
};
