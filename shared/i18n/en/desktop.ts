export const desktop = {
  appName: 'Headroom',

  menuFile: 'File',
  menuSettings: 'Settings',
  menuQuit: 'Quit',
  menuEdit: 'Edit',
  menuUndo: 'Undo',
  menuRedo: 'Redo',
  menuCut: 'Cut',
  menuCopy: 'Copy',
  menuPaste: 'Paste',
  menuSelectAll: 'Select all',
  menuFind: 'Find',
  menuView: 'View',
  menuWorkstation: 'Workstation',
  menuPlan: 'Plan',
  menuDoctor: 'Doctor',
  menuCheck: 'Check',
  menuPause: 'Pause or resume',
  menuZoomIn: 'Larger',
  menuZoomOut: 'Smaller',
  menuZoomReset: 'Actual size',
  menuFullScreen: 'Full screen',
  menuDeveloperTools: 'Developer tools',
  menuWindow: 'Window',
  menuMinimise: 'Minimise',
  menuClose: 'Close window',
  menuHelp: 'Help',
  menuKeys: 'Keyboard shortcuts',
  menuOpenLogs: 'Open the folder of the log',
  menuAbout: 'About Headroom',

  chooseNvidiaSmiTitle: 'Choose the nvidia-smi program',
  chooseNvidiaSmiButton: 'Use this program',
  programs: 'Programs',
  allFiles: 'All files',

  refusedSender: 'The request did not come from the Headroom window, so it was refused.',
  refusedCall: 'Headroom does not know the request “{name}”.',
  refusedArgument: 'The request “{name}” was refused: {problem}',
  refusedReadOnly: 'Headroom is in read-only mode. Switch that off in Settings to do this.',
  callFailed: 'The request “{name}” failed. The log says more.',
  unknownScene: 'There is no scene named “{sceneId}”.',
  cannotOpenLogs: 'The folder of the log could not be opened: {problem}',
  cannotOpenLink: 'The page could not be opened in a browser: {problem}',

  settingsDamaged:
    'The settings file could not be read, so the standard settings are in use. The old file was kept as {file}.',
  settingsRepaired:
    'Some settings could not be read and were set to their standard values. The old file was kept as {file}.',
  settingsNewer:
    'The settings were written by a newer Headroom. What this version understands is in use; the file was kept as {file}.',
  settingsUnreadable:
    'The settings file cannot be opened ({problem}), so the standard settings are in use. Changes may be lost when Headroom ends.',
  settingsNotSaved: 'The settings could not be saved: {problem}. The change holds until Headroom ends.',

  windowFailedTitle: 'The Headroom window stopped working',
  windowFailedText:
    'The window ended unexpectedly ({reason}). The log says more. Your training jobs are not affected.',
  windowFailedReload: 'Open it again',
  startFailedTitle: 'Headroom could not start',
  startFailedText: 'Headroom could not start: {problem}',
} as const;
