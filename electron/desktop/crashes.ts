import type { App } from 'electron';
import type { Log } from '../storage/log';

/** Writes every way in which a part of the app can end by itself to the log. */
export function logCrashes(app: Pick<App, 'on'>, process: NodeJS.Process, log: Log): void {
  app.on('render-process-gone', (_event, _contents, details) => {
    if (details.reason !== 'clean-exit')
      log.error(`The window's process ended: ${details.reason}, exit code ${details.exitCode}.`);
  });
  app.on('child-process-gone', (_event, details) => {
    if (details.reason !== 'clean-exit')
      log.error(`A ${details.type} process ended: ${details.reason}, exit code ${details.exitCode}.`);
  });
  app.on('browser-window-created', (_event, window) =>
    window.on('unresponsive', () => log.warn('The window does not answer.')),
  );
  process.on('unhandledRejection', (reason) =>
    log.error('A promise was rejected and nobody looked.', reason),
  );
  process.on('uncaughtException', (error) => log.error('An error was not caught.', error));
}
