import type { Message } from '../../i18n/message';

/** Why a file cannot be read as a memory snapshot, in one line for people. */
export class SnapshotFileError extends Error {
  constructor(readonly text: Message) {
    super(text.key);
    this.name = 'SnapshotFileError';
  }
}
