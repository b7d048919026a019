/** Aya Vision. */
import type { Family } from '../declaration';
import { readAyaVision } from './config';

export const family: Family = {
  name: 'aya_vision',
  modelTypes: {
    aya_vision: { kind: 'model', baseClass: 'AyaVisionModel', read: readAyaVision },
  },
  simulation: null,
};
