import type { Bridge } from '../../shared/contract/bridge';
import type { Snapshot } from '../../shared/alerts/snapshot';
import type { Message } from '../../shared/i18n/message';
import { ask } from './calls';

/** The newest Snapshot as the views show it: held back while the view is paused or cannot be seen. */
export class Snapshots {
  /** What the views draw; null before the first reading. */
  shown = $state.raw<Snapshot | null>(null);
  paused = $state(false);
  failure = $state.raw<Message | null>(null);

  readonly #bridge: Bridge;
  #listeners: readonly ((snapshot: Snapshot) => void)[] = [];
  #newest: Snapshot | null = null;
  #visible = true;

  constructor(bridge: Bridge) {
    this.#bridge = bridge;
  }

  /** Starts listening and fetches what is there already; returns what ends it. */
  start(): () => void {
    const stop = this.#bridge.on('snapshot', (snapshot) => this.#take(snapshot));
    void this.#fetch();
    return stop;
  }

  /** Calls the listener with every Snapshot that is shown; returns what ends it. */
  onShown(listener: (snapshot: Snapshot) => void): () => void {
    this.#listeners = [...this.#listeners, listener];
    return () => {
      this.#listeners = this.#listeners.filter((one) => one !== listener);
    };
  }

  togglePause(): void {
    this.paused = !this.paused;
    if (!this.paused) this.#show();
  }

  /** Tells main whether the page can be seen; nothing is drawn while it cannot. */
  setVisible(visible: boolean): void {
    this.#visible = visible;
    void ask(this.#bridge, 'view.visible', { visible });
    if (visible) this.#show();
  }

  async retry(): Promise<void> {
    this.failure = null;
    await this.#fetch();
  }

  async #fetch(): Promise<void> {
    const reply = await ask(this.#bridge, 'snapshot.current', null);
    if (!reply.ok) this.failure = reply.message;
    else if (reply.value !== null && this.#newest === null) this.#take(reply.value);
  }

  #take(snapshot: Snapshot): void {
    this.failure = null;
    this.#newest = snapshot;
    this.#show();
  }

  #show(): void {
    const snapshot = this.#newest;
    if (snapshot === null || !this.#visible || snapshot === this.shown) return;
    // The first reading is shown even when paused: an empty window would look broken.
    if (this.paused && this.shown !== null) return;
    this.shown = snapshot;
    for (const listener of this.#listeners) listener(snapshot);
  }
}
