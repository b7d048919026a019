import type { AppInfo } from '../../shared/contract/appInfo';
import type { Bridge } from '../../shared/contract/bridge';
import type { Reply } from '../../shared/contract/ipc';
import type { Settings, SettingsChange, SettingsState } from '../../shared/contract/settings';
import type { Message } from '../../shared/i18n/message';
import { nearestLocale, type Locale } from '../../shared/i18n/translate';
import { ask } from './calls';

/** The settings as main keeps them; a change is shown when main has taken it. */
export class SettingsStore {
  current = $state.raw<Settings | null>(null);
  notice = $state.raw<Message | null>(null);
  /** The notice that was put away where people are; in the settings it stays. */
  noticePutAway = $state.raw<Message | null>(null);
  info = $state.raw<AppInfo | null>(null);
  /** Why the last change was refused; null once one is taken. */
  refusal = $state.raw<Message | null>(null);

  readonly #bridge: Bridge;
  readonly #browserLocale: Locale;

  constructor(bridge: Bridge, browserLanguage: string) {
    this.#bridge = bridge;
    this.#browserLocale = nearestLocale(browserLanguage);
  }

  /** Reads the settings and listens to changes made elsewhere; returns what ends it. */
  start(): () => void {
    const stop = this.#bridge.on('settings', (state) => this.#take(state));
    void ask(this.#bridge, 'settings.read', null).then((reply) => this.#answer(reply));
    void ask(this.#bridge, 'app.info', null).then((reply) => {
      if (reply.ok) this.info = reply.value;
    });
    return stop;
  }

  get locale(): Locale {
    const language = this.current?.language ?? 'system';
    return language === 'system' ? this.systemLocale : language;
  }

  get systemLocale(): Locale {
    return this.info?.systemLocale ?? this.#browserLocale;
  }

  /** What to say of the settings file, once. */
  get news(): Message | null {
    return this.notice === null || this.notice.key === this.noticePutAway?.key ? null : this.notice;
  }

  async change(change: SettingsChange): Promise<void> {
    this.#answer(await ask(this.#bridge, 'settings.change', change));
  }

  async chooseNvidiaSmi(useDefault: boolean): Promise<void> {
    this.#answer(await ask(this.#bridge, 'settings.chooseNvidiaSmi', { useDefault }));
  }

  #answer(reply: Reply<SettingsState>): void {
    if (reply.ok) this.#take(reply.value);
    else this.refusal = reply.message;
  }

  #take(state: SettingsState): void {
    this.current = state.settings;
    this.notice = state.notice;
    this.refusal = null;
  }
}
