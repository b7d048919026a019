/** Ministral and CWM. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { simulateMinistral } from './simulation';
import { windowedLlama } from './config';

export const family: Family = {
  name: 'ministral',
  modelTypes: {
    cwm: { kind: 'decoder', baseClass: 'CwmModel', read: windowedLlama, defaults: defaults.cwm },
    ministral: { kind: 'decoder', baseClass: 'MinistralModel', read: windowedLlama },
  },
  simulation: {
    simulate: simulateMinistral,
  },
};
