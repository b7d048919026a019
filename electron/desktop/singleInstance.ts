import type { App } from 'electron';

/**
 * Makes this the only Headroom of this user: gives false, for a process that should end at once, where another one
 * already runs; that one is told and calls `onSecondStart`. What the second start was given is not looked at.
 */
export function claimSingleInstance(
  app: Pick<App, 'requestSingleInstanceLock' | 'on'>,
  onSecondStart: () => void,
): boolean {
  if (!app.requestSingleInstanceLock()) return false;
  app.on('second-instance', onSecondStart);
  return true;
}
