/** Seed-OSS. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readSeedOss } from './config';
import { simulateSeedOss } from './simulation';

export const family: Family = {
  name: 'seed_oss',
  modelTypes: {
    seed_oss: { kind: 'decoder', baseClass: 'SeedOssModel', read: readSeedOss, defaults: defaults.seed_oss },
  },
  simulation: {
    simulate: simulateSeedOss,
    recorded: [],
  },
};
