import path from 'node:path';
import type { App } from 'electron';

/** Every path of ours in one place. `dist/` holds main.cjs, preload.cjs, icon.png and renderer/. */
export interface Paths {
  readonly preload: string;
  readonly renderer: string;
  readonly icon: string;
  readonly settingsFile: string;
  readonly boundsFile: string;
  readonly alertsFile: string;
  readonly planFile: string;
  readonly receiptsFile: string;
  readonly logFolder: string;
  readonly logFile: string;
}

export function findPaths(app: Pick<App, 'getAppPath' | 'getPath'>): Paths {
  const dist = path.join(app.getAppPath(), 'dist');
  const userData = app.getPath('userData');
  const logFolder = path.join(userData, 'logs');
  return {
    preload: path.join(dist, 'preload.cjs'),
    renderer: path.join(dist, 'renderer'),
    icon: path.join(dist, 'icon.png'),
    settingsFile: path.join(userData, 'settings.json'),
    boundsFile: path.join(userData, 'window.json'),
    alertsFile: path.join(userData, 'alerts.json'),
    planFile: path.join(userData, 'plan.json'),
    receiptsFile: path.join(userData, 'receipts.json'),
    logFolder,
    logFile: path.join(logFolder, 'headroom.log'),
  };
}
