import type { Message } from '../i18n/message';

/** Thrown inside `model/` where a config cannot be read; `readModel` catches it and gives the reason as data. */
export class UnreadableModel extends Error {
  constructor(readonly reason: Message) {
    super(reason.key);
    this.name = 'Refusal';
  }
}
