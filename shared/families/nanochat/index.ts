/** nanochat. */
import type { Family } from '../declaration';
import { nanochat } from './config';

export const family: Family = {
  name: 'nanochat',
  modelTypes: {
    nanochat: { kind: 'decoder', baseClass: 'NanoChatModel', read: nanochat },
  },
  simulation: null,
};
