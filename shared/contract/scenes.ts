import type { Message } from '../i18n/message';

/** A scene of the simulated workstation, as a person chooses it. */
export interface SceneSummary {
  readonly id: string;
  readonly title: Message;
  readonly description: Message;
}
