import { message } from '../../shared/i18n/message';
import { translate, type Locale } from '../../shared/i18n/translate';
import type { Dialogs } from '../desktop/ports/dialogs';
import { programFilters } from '../desktop/programFilters';
import type { SettingsFileStore } from '../storage/settingsStore';
import type { Handlers } from './answer';

export type SettingsCalls = 'settings.read' | 'settings.change' | 'settings.chooseNvidiaSmi';

export interface SettingsServices {
  readonly settings: SettingsFileStore;
  readonly dialogs: Dialogs;
  readonly locale: () => Locale;
  readonly platform: NodeJS.Platform;
}

export function settingsHandlers(services: SettingsServices): Pick<Handlers, SettingsCalls> {
  const { settings } = services;
  return {
    'settings.read': () => settings.state(),
    'settings.change': (change) => settings.change(change),
    'settings.chooseNvidiaSmi': async ({ useDefault }) => {
      if (useDefault) return settings.change({ nvidiaSmiPath: null });
      const chosen = await chooseNvidiaSmi(services);
      return chosen === null ? settings.state() : settings.change({ nvidiaSmiPath: chosen });
    },
  };
}

function chooseNvidiaSmi({ dialogs, locale, platform }: SettingsServices): Promise<string | null> {
  const words = locale();
  return dialogs.chooseFile({
    id: 'choose-nvidia-smi',
    title: translate(words, message('desktop.chooseNvidiaSmiTitle')),
    buttonLabel: translate(words, message('desktop.chooseNvidiaSmiButton')),
    folder: platform === 'win32' ? 'C:\\Windows\\System32' : '/usr/bin',
    filters: programFilters(words, platform),
  });
}
