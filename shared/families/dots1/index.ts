/** dots.llm1. */
import type { Family } from '../declaration';
import { readDots1 } from './config';
import { simulateDots1 } from './simulation';

export const family: Family = {
  name: 'dots1',
  modelTypes: {
    dots1: { kind: 'decoder', baseClass: 'Dots1Model', read: readDots1 },
  },
  simulation: {
    simulate: simulateDots1,
    recorded: [],
  },
};
