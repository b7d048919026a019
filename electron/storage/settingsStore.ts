import path from 'node:path';
import { switchRules } from '../../shared/alerts/ruleSwitches';
import { defaultSettings } from '../../shared/contract/defaultSettings';
import {
  settingsSchema,
  type Settings,
  type SettingsChange,
  type SettingsState,
} from '../../shared/contract/settings';
import { message, type Message } from '../../shared/i18n/message';
import { problemText } from '../errors';
import { keepCopy, readJsonFile } from './jsonFile';
import { JsonWriter } from './jsonWriter';
import type { Log } from './log';
import { readSettings, type SettingsOrigin } from './readSettings';

/** What main alone may change, beside what the renderer may. */
export type OwnSettingsChange = SettingsChange &
  Partial<Pick<Settings, 'nvidiaSmiPath' | 'pythonPath' | 'closeToTrayExplained' | 'noTrayExplained'>>;

type Listener = (state: SettingsState, before: Settings) => void;

/**
 * The settings in memory and on disk. A change holds at once and is written in the background; what cannot be read or
 * written is told in `notice` and never stops the app.
 */
export class SettingsFileStore {
  private current: SettingsState;
  private readonly listeners = new Set<Listener>();
  private readonly writer: JsonWriter;

  private constructor(file: string, log: Log, state: SettingsState) {
    this.current = state;
    this.writer = new JsonWriter(file, (error) => {
      log.warn('The settings cannot be written.', error);
      const notice = message('desktop.settingsNotSaved', { problem: problemText(error) });
      this.update({ settings: this.current.settings, notice });
    });
  }

  /** Reads the file; a damaged one is kept aside and replaced by what could be saved of it. Never rejects. */
  static async open(file: string, log: Log): Promise<SettingsFileStore> {
    const read = await readJsonFile(file);
    switch (read.kind) {
      case 'missing':
        return new SettingsFileStore(file, log, { settings: defaultSettings, notice: null });
      case 'unreadable': {
        log.warn(`The settings cannot be read: ${read.problem}`);
        const notice = message('desktop.settingsUnreadable', { problem: read.problem });
        return new SettingsFileStore(file, log, { settings: defaultSettings, notice });
      }
      case 'damaged':
      case 'read': {
        const { settings, origin } = readSettings(read.kind === 'read' ? read.value : null);
        const notice = await keepAside(file, origin, log);
        const store = new SettingsFileStore(file, log, { settings, notice });
        if (origin !== 'asWritten') store.writer.write(settings);
        return store;
      }
    }
  }

  state(): SettingsState {
    return this.current;
  }

  settings(): Settings {
    return this.current.settings;
  }

  /** Applies a change whose values the contract's schema has accepted, and tells the listeners if anything differs. */
  change({ thresholds, rules = {}, ...others }: OwnSettingsChange): SettingsState {
    const before = this.current.settings;
    const settings = settingsSchema.parse({
      ...before,
      ...others,
      thresholds: { ...before.thresholds, ...thresholds },
      rulesOff: switchRules(before, rules),
    });
    if (JSON.stringify(settings) === JSON.stringify(before)) return this.current;
    this.update({ settings, notice: null });
    this.writer.write(settings);
    return this.current;
  }

  /** Holds something for this run only: it is written only if a person changes a setting later. */
  assume(assumed: OwnSettingsChange): void {
    this.update({
      ...this.current,
      settings: settingsSchema.parse({ ...this.current.settings, ...assumed }),
    });
  }

  /** Calls the listener after every change, and when a notice comes; returns what ends it. */
  onChange(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Resolves when everything changed so far is on disk or has failed to get there. */
  flush(): Promise<void> {
    return this.writer.flush();
  }

  private update(state: SettingsState): void {
    const before = this.current.settings;
    this.current = state;
    for (const listener of this.listeners) listener(state, before);
  }
}

/** Keeps a copy of a file that will be replaced by something else, and says so where a person lost something. */
async function keepAside(file: string, origin: SettingsOrigin, log: Log): Promise<Message | null> {
  if (origin === 'asWritten') return null;
  const copy = await keepCopy(file, origin === 'migrated' ? 'before-update' : origin);
  const name = copy === null ? null : path.basename(copy);
  log.warn(`The settings file was ${origin}; a copy: ${name ?? 'could not be kept'}.`);
  switch (origin) {
    case 'migrated':
      return null;
    case 'damaged':
      return message('desktop.settingsDamaged', { file: name });
    case 'repaired':
      return message('desktop.settingsRepaired', { file: name });
    case 'newer':
      return message('desktop.settingsNewer', { file: name });
  }
}
