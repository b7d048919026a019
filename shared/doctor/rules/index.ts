import { cardRules } from './card';
import { collectiveRules } from './collective';
import { driverRules } from './driver';
import { hiddenRules } from './hidden';
import { holderRules } from './holders';
import { hostRules } from './host';
import { phaseRules } from './phases';
import type { Rule } from './rule';
import { seenRules } from './seen';
import { sharedMemoryRules } from './sharedMemory';
import { strayRules } from './strays';

export const rules: readonly Rule[] = [
  ...driverRules,
  ...sharedMemoryRules,
  ...collectiveRules,
  ...hostRules,
  ...cardRules,
  ...holderRules,
  ...phaseRules,
  ...hiddenRules,
  ...strayRules,
  ...seenRules,
];
