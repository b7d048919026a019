/** llama, and the models with its code. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { llama } from './config';
import { simulateLlama } from './simulation';

export const family: Family = {
  name: 'llama',
  modelTypes: {
    llama: { kind: 'decoder', baseClass: 'LlamaModel', read: llama, defaults: defaults.llama },
    xverse: { kind: 'decoder', baseClass: 'XverseModel', read: llama },
    aquila: { kind: 'decoder', baseClass: 'AquilaModel', read: llama },
    skywork: { kind: 'decoder', baseClass: 'SkyworkModel', read: llama },
  },
  simulation: {
    simulate: simulateLlama,
  },
};
