import type { Bridge } from '../../shared/contract/bridge';
import type { SceneSummary } from '../../shared/contract/scenes';
import type { Message } from '../../shared/i18n/message';
import { ask } from './calls';

/** The scenes of the simulated workstation, and the switch between them and the machine's own cards. */
export class Scenes {
  list = $state.raw<readonly SceneSummary[]>([]);
  refusal = $state.raw<Message | null>(null);

  readonly #bridge: Bridge;

  constructor(bridge: Bridge) {
    this.#bridge = bridge;
  }

  async load(): Promise<void> {
    const reply = await ask(this.#bridge, 'scenes.list', null);
    if (reply.ok) this.list = reply.value;
    else this.refusal = reply.message;
  }

  async choose(sceneId: string | null): Promise<void> {
    const reply = await ask(this.#bridge, 'scenes.choose', { sceneId });
    this.refusal = reply.ok ? null : reply.message;
  }
}
