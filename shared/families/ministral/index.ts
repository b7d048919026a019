/** Ministral and CWM. */
import type { Family } from '../declaration';
import { defaults } from './defaults';
import { simulateMinistral } from './simulation';
import { readWindowedLlama } from './config';

export const family: Family = {
  name: 'ministral',
  modelTypes: {
    cwm: { kind: 'decoder', baseClass: 'CwmModel', read: readWindowedLlama, defaults: defaults.cwm },
    ministral: { kind: 'decoder', baseClass: 'MinistralModel', read: readWindowedLlama },
  },
  simulation: {
    simulate: simulateMinistral,
    recorded: ['ministral'],
  },
};
