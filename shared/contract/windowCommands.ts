/** What the menu can ask of the window beside going somewhere. */
export const windowCommands = ['togglePause', 'find', 'showKeys', 'showAbout'] as const;
export type WindowCommand = (typeof windowCommands)[number];
