/** Falcon H1. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { readFalconH1 } from './config';

export const family: Family = {
  name: 'falcon_h1',
  modelTypes: {
    falcon_h1: {
      kind: 'decoder',
      baseClass: 'FalconH1Model',
      read: readFalconH1,
      defaults: defaults.falcon_h1,
    },
  },
  simulation: null,
};
