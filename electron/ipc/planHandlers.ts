import type { PlanSaved } from '../../shared/contract/planFiles';
import type { CardLink } from '../../shared/gpu/types';
import { message } from '../../shared/i18n/message';
import { translate, type Locale } from '../../shared/i18n/translate';
import type { Dialogs } from '../desktop/ports/dialogs';
import { problemText } from '../errors';
import { existingFiles, writeFiles, type PlanFile } from '../storage/planFolder';
import type { PlanFileStore } from '../storage/planStore';
import type { SettingsFileStore } from '../storage/settingsStore';
import { CallRefusal, type Handlers } from './answer';

export type PlanCalls = 'plan.read' | 'plan.links' | 'plan.remember' | 'plan.save';

export interface PlanServices {
  readonly plan: PlanFileStore;
  readonly settings: SettingsFileStore;
  readonly dialogs: Dialogs;
  readonly locale: () => Locale;
  /** Where the dialog for a folder begins the first time. */
  readonly homeFolder: string;
  /** How the cards of this machine are joined; empty in a scene. */
  readonly readLinks: () => Promise<readonly CardLink[]>;
  /** Told of the files that were written. */
  readonly onSaved: (files: readonly PlanFile[]) => void;
}

export function planHandlers(services: PlanServices): Pick<Handlers, PlanCalls> {
  const { plan } = services;
  let lastFolder = services.homeFolder;
  return {
    'plan.read': () => plan.saved(),
    'plan.links': () => services.readLinks(),
    'plan.remember': ({ answers }) => {
      plan.save(answers);
      return null;
    },
    'plan.save': async ({ files }) => {
      if (services.settings.settings().readOnly)
        throw new CallRefusal('read-only', message('desktop.refusedReadOnly'));
      const folder = await chooseFolder(services, lastFolder);
      if (folder === null) return { kind: 'cancelled' };
      lastFolder = folder;
      return save(services, folder, files);
    },
  };
}

async function save(services: PlanServices, folder: string, files: readonly PlanFile[]): Promise<PlanSaved> {
  try {
    const existing = await existingFiles(folder, files);
    if (existing.length > 0 && !(await mayReplace(services, folder, existing))) return { kind: 'cancelled' };
    await writeFiles(folder, files, existing);
    services.onSaved(files);
    return { kind: 'saved', folder, names: files.map(({ name }) => name) };
  } catch (error) {
    throw new CallRefusal('failed', message('desktop.planNotSaved', { folder, problem: problemText(error) }));
  }
}

function chooseFolder({ dialogs, locale }: PlanServices, folder: string): Promise<string | null> {
  const words = locale();
  return dialogs.chooseFolder({
    id: 'plan-folder',
    title: translate(words, message('desktop.choosePlanFolderTitle')),
    buttonLabel: translate(words, message('desktop.choosePlanFolderButton')),
    folder,
  });
}

async function mayReplace(
  { dialogs, locale }: PlanServices,
  folder: string,
  existing: readonly string[],
): Promise<boolean> {
  const words = locale();
  const count = existing.length;
  const answer = await dialogs.ask({
    id: 'replace-plan-files',
    severity: 'warning',
    title: translate(words, message('desktop.replaceFilesTitle')),
    text: translate(words, message('desktop.replaceFilesText', { count, folder })),
    detail: existing.join('\n'),
    buttons: [
      { id: 'replace', label: translate(words, message('desktop.replaceFilesButton', { count })) },
      { id: 'cancel', label: translate(words, message('desktop.cancel')) },
    ],
    safeButtonId: 'cancel',
  });
  return answer === 'replace';
}
