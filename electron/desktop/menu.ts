import type { MenuItemConstructorOptions } from 'electron';
import { places, type Destination, type Place } from '../../shared/alerts/places';
import { type WindowCommand } from '../../shared/contract/windowCommands';
import { message, type Message } from '../../shared/i18n/message';
import { translate, type Locale } from '../../shared/i18n/translate';

/** What the lines of the menu do that Electron has no role for. */
export interface MenuActions {
  readonly go: (destination: Destination) => void;
  readonly command: (command: WindowCommand) => void;
  readonly openLogs: () => void;
  readonly quit: () => void;
}

const placeNames: Readonly<Record<Place, Message>> = {
  workstation: message('desktop.menuWorkstation'),
  plan: message('desktop.menuPlan'),
  doctor: message('desktop.menuDoctor'),
  check: message('desktop.menuCheck'),
  settings: message('desktop.menuSettings'),
};

/**
 * The window's menu. Keys that a text field needs (1 to 5, Space, ?) are answered by the page, which knows where the
 * focus is; the menu only shows them. There is no reload: it would lose what a person typed.
 */
export function menuTemplate(
  locale: Locale,
  actions: MenuActions,
  development: boolean,
): MenuItemConstructorOptions[] {
  const label = (text: Message): string => translate(locale, text);
  const shownOnly = (accelerator: string): MenuItemConstructorOptions => ({
    accelerator,
    registerAccelerator: false,
  });
  const go = (place: Place) => (): void => actions.go({ place, gpuIndex: null, jobId: null });
  const separator: MenuItemConstructorOptions = { type: 'separator' };

  return [
    {
      label: label(message('desktop.menuFile')),
      submenu: [
        {
          label: label(message('desktop.menuSettings')),
          accelerator: 'CmdOrCtrl+,',
          click: go('settings'),
        },
        separator,
        { label: label(message('desktop.menuClose')), role: 'close', accelerator: 'CmdOrCtrl+W' },
        { label: label(message('desktop.menuQuit')), accelerator: 'CmdOrCtrl+Q', click: actions.quit },
      ],
    },
    {
      label: label(message('desktop.menuEdit')),
      submenu: [
        { label: label(message('desktop.menuUndo')), role: 'undo' },
        { label: label(message('desktop.menuRedo')), role: 'redo' },
        separator,
        { label: label(message('desktop.menuCut')), role: 'cut' },
        { label: label(message('desktop.menuCopy')), role: 'copy' },
        { label: label(message('desktop.menuPaste')), role: 'paste' },
        { label: label(message('desktop.menuSelectAll')), role: 'selectAll' },
        separator,
        {
          label: label(message('desktop.menuFind')),
          accelerator: 'CmdOrCtrl+F',
          click: () => actions.command('find'),
        },
      ],
    },
    {
      label: label(message('desktop.menuView')),
      submenu: [
        ...places.map((place, index) => ({
          label: label(placeNames[place]),
          ...shownOnly(String(index + 1)),
          click: go(place),
        })),
        separator,
        {
          label: label(message('desktop.menuPause')),
          ...shownOnly('Space'),
          click: () => actions.command('togglePause'),
        },
        separator,
        { label: label(message('desktop.menuZoomIn')), role: 'zoomIn' },
        { label: label(message('desktop.menuZoomOut')), role: 'zoomOut' },
        { label: label(message('desktop.menuZoomReset')), role: 'resetZoom' },
        { label: label(message('desktop.menuFullScreen')), role: 'togglefullscreen' },
        ...(development
          ? [
              separator,
              { label: label(message('desktop.menuDeveloperTools')), role: 'toggleDevTools' as const },
            ]
          : []),
      ],
    },
    {
      label: label(message('desktop.menuHelp')),
      submenu: [
        {
          label: label(message('desktop.menuKeys')),
          accelerator: 'F1',
          click: () => actions.command('showKeys'),
        },
        { label: label(message('desktop.menuOpenLogs')), click: actions.openLogs },
        separator,
        { label: label(message('desktop.menuAbout')), click: () => actions.command('showAbout') },
      ],
    },
  ];
}
