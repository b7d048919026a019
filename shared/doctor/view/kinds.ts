import { message, type Message } from '../../i18n/message';
import type { Cause } from '../causes';
import type { FailureKind } from '../types';

/** What kind of trouble it is, in words. */
export function kindText(kind: FailureKind): Message {
  switch (kind) {
    case 'oom':
      return message('doctor.kindOom');
    case 'host-oom':
      return message('doctor.kindHostOom');
    case 'shm':
      return message('doctor.kindShm');
    case 'nccl':
      return message('doctor.kindNccl');
    case 'driver':
      return message('doctor.kindDriver');
    case 'not-memory':
      return message('doctor.kindNotMemory');
    case 'leak':
      return message('doctor.kindLeak');
    case 'zombie':
      return message('doctor.kindZombie');
    case 'other':
      return message('doctor.kindOther');
  }
}

/** A cause as a sentence. */
export function causeText(cause: Cause): Message {
  return message(`causes.${cause}`);
}
