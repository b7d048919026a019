/** PaliGemma and PaliGemma 2. */
import type { Family } from '../declaration';
import { readPaligemma } from './config';

export const family: Family = {
  name: 'paligemma',
  modelTypes: {
    paligemma: { kind: 'model', baseClass: 'PaliGemmaModel', read: readPaligemma },
  },
  simulation: null,
};
