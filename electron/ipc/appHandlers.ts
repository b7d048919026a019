import type { AppInfo } from '../../shared/contract/appInfo';
import { message } from '../../shared/i18n/message';
import type { Log } from '../storage/log';
import { CallRefusal, type Handlers } from './answer';

export type AppCalls = 'app.info' | 'app.openLogs' | 'log.rendererError';

export interface AppServices {
  readonly info: AppInfo;
  readonly log: Log;
  /** Opens the log's folder; gives the system's words where that fails, an empty text otherwise (shell.openPath). */
  readonly openLogFolder: () => Promise<string>;
}

/** A page in a loop of errors must not fill the disk. */
const maxRendererErrors = 200;

export function appHandlers({ info, log, openLogFolder }: AppServices): Pick<Handlers, AppCalls> {
  let rendererErrors = 0;
  return {
    'app.info': () => info,
    'app.openLogs': async () => {
      const problem = await openLogFolder();
      if (problem !== '') throw new CallRefusal('failed', message('desktop.cannotOpenLogs', { problem }));
      return null;
    },
    'log.rendererError': ({ text, stack }) => {
      rendererErrors += 1;
      if (rendererErrors <= maxRendererErrors) log.error(`In the window: ${stack ?? text}`);
      if (rendererErrors === maxRendererErrors) log.warn('Further errors of the window are not written.');
      return null;
    },
  };
}
