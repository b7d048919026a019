import { dialog, type BrowserWindow, type MessageBoxOptions } from 'electron';
import type { Dialogs, FileQuestion, FolderQuestion, Question } from './dialogs';

/** The dialogs of the system, in front of the window where there is one. */
export function nativeDialogs(window: () => BrowserWindow | null): Dialogs {
  return {
    async ask(question) {
      const options = messageBoxOptions(question);
      const parent = window();
      const { response } = await (parent === null
        ? dialog.showMessageBox(options)
        : dialog.showMessageBox(parent, options));
      return question.buttons[response]?.id ?? question.safeButtonId;
    },
    chooseFile: (question) => choosePath(window(), openFileOptions(question)),
    chooseFolder: (question) => choosePath(window(), openFolderOptions(question)),
  };
}

async function choosePath(
  parent: BrowserWindow | null,
  options: Electron.OpenDialogOptions,
): Promise<string | null> {
  const { canceled, filePaths } = await (parent === null
    ? dialog.showOpenDialog(options)
    : dialog.showOpenDialog(parent, options));
  return canceled ? null : (filePaths[0] ?? null);
}

function messageBoxOptions(question: Question): MessageBoxOptions {
  const safe = Math.max(
    0,
    question.buttons.findIndex((button) => button.id === question.safeButtonId),
  );
  return {
    type: question.severity,
    title: question.title,
    message: question.text,
    ...(question.detail === null ? {} : { detail: question.detail }),
    buttons: question.buttons.map((button) => button.label),
    defaultId: safe,
    cancelId: safe,
    noLink: true,
  };
}

function openFileOptions(question: FileQuestion): Electron.OpenDialogOptions {
  return {
    title: question.title,
    buttonLabel: question.buttonLabel,
    defaultPath: question.folder,
    filters: question.filters.map(({ name, extensions }) => ({ name, extensions: [...extensions] })),
    properties: ['openFile'],
  };
}

function openFolderOptions({ buttonLabel, folder, title }: FolderQuestion): Electron.OpenDialogOptions {
  return { title, buttonLabel, defaultPath: folder, properties: ['openDirectory', 'createDirectory'] };
}
