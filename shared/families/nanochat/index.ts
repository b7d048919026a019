/** nanochat. */
import type { Family } from '../declaration';
import { readNanochat } from './config';

export const family: Family = {
  name: 'nanochat',
  modelTypes: {
    nanochat: { kind: 'decoder', baseClass: 'NanoChatModel', read: readNanochat },
  },
  simulation: null,
};
