/** MiniCPM3 and Youtu: dense decoders with latent attention. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readLatentDense } from './config';
import { simulateLatentDense } from './simulation';

export const family: Family = {
  name: 'latent_dense',
  modelTypes: {
    youtu: { kind: 'decoder', baseClass: 'YoutuModel', read: readLatentDense, defaults: defaults.youtu },
    minicpm3: {
      kind: 'decoder',
      baseClass: 'MiniCPM3Model',
      read: readLatentDense,
      defaults: defaults.minicpm3,
    },
  },
  simulation: {
    simulate: simulateLatentDense,
    recorded: [],
  },
};
