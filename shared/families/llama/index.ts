/** llama, and the models with its code. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readLlama } from './config';
import { simulateLlama } from './simulation';

export const family: Family = {
  name: 'llama',
  modelTypes: {
    llama: { kind: 'decoder', baseClass: 'LlamaModel', read: readLlama, defaults: defaults.llama },
    xverse: { kind: 'decoder', baseClass: 'XverseModel', read: readLlama },
    aquila: { kind: 'decoder', baseClass: 'AquilaModel', read: readLlama },
    skywork: { kind: 'decoder', baseClass: 'SkyworkModel', read: readLlama },
  },
  simulation: {
    simulate: simulateLlama,
    recorded: ['llama'],
  },
};
