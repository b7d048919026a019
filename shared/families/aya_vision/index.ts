/** Aya Vision. */
import type { Family } from '../declaration';
import { ayaVision } from './config';

export const family: Family = {
  name: 'aya_vision',
  modelTypes: {
    aya_vision: { kind: 'model', baseClass: 'AyaVisionModel', read: ayaVision },
  },
  simulation: null,
};
