import type { RefusalCode } from '../../shared/contract/ipc';
import type { Message } from '../../shared/i18n/message';

/** Why nothing is measured, for people. */
export class CannotMeasure extends Error {
  constructor(
    readonly code: Extract<RefusalCode, 'read-only' | 'failed'>,
    readonly reason: Message,
  ) {
    super(reason.key);
    this.name = 'CannotMeasure';
  }
}
