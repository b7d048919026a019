import type { AlertsState } from '../../shared/contract/alertsState';
import type { Bridge } from '../../shared/contract/bridge';
import type { DesktopState } from '../../shared/contract/desktopState';
import type { Reply } from '../../shared/contract/ipc';
import type { Message } from '../../shared/i18n/message';
import { ask } from './calls';

/** What was raised before, what is snoozed, and what the desktop can show of it. What stands is in the Snapshot. */
export class AlertsStore {
  past = $state.raw<AlertsState>({ history: [], snoozedUntil: {}, oomExits: [] });
  /** Null until main has answered. */
  desktop = $state.raw<DesktopState | null>(null);
  refusal = $state.raw<Message | null>(null);

  readonly #bridge: Bridge;

  constructor(bridge: Bridge) {
    this.#bridge = bridge;
  }

  /** Reads what there is and listens to changes; returns what ends it. */
  start(): () => void {
    const stops = [
      this.#bridge.on('alerts', (state) => (this.past = state)),
      this.#bridge.on('desktop', (state) => (this.desktop = state)),
    ];
    void ask(this.#bridge, 'alerts.read', null).then((reply) => this.#take(reply));
    void ask(this.#bridge, 'desktop.read', null).then((reply) => {
      if (reply.ok) this.desktop = reply.value;
    });
    return () => stops.forEach((stop) => stop());
  }

  /** Until when an alert is snoozed (seconds since the epoch), or null. */
  snoozedUntil(id: string, time: number): number | null {
    const until = this.past.snoozedUntil[id] ?? 0;
    return until > time ? until : null;
  }

  async snooze(id: string, seconds: number): Promise<void> {
    this.#take(await ask(this.#bridge, 'alerts.snooze', { id, seconds }));
  }

  #take(reply: Reply<AlertsState>): void {
    if (reply.ok) this.past = reply.value;
    this.refusal = reply.ok ? null : reply.message;
  }
}
