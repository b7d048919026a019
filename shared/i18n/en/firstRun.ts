/** The short set-up of a first start. */
export const firstRun = {
  welcome: 'Welcome to Headroom',
  step: 'Step {step} of {count}',
  language: 'Language and look',
  languageHint: 'All of this can be changed later in Settings.',
  cards: 'Your cards',
  cardsHint: 'Headroom reads them through nvidia-smi and takes no memory on them.',
  found: 'Cards found',
  simulatedHint:
    'No NVIDIA card was found or a scene was asked for, so these cards are only played. The header of the Workstation changes the scene.',
  alerts: 'Alerts',
  alertsHint: 'The desktop tells you of these. Settings have more of them, and their levels.',
  tray: 'Tray and start',
  trayHint: 'Headroom can stay in the tray and watch while its window is closed.',
  back: 'Back',
  next: 'Next',
  skip: 'Skip the set-up',
  finishInPlan: 'Plan a training',
  finish: 'Open the Workstation',
} as const;
