import type { Session } from 'electron';
import type { Log } from '../storage/log';
import { isOwnUrl, parseUrl } from './origin';

/**
 * Whether the page may load this: our own files and data held in the page itself. The developer tools load their own
 * pages under `devtools:`; they exist in development only.
 */
export function isAllowedRequest(url: string, development: boolean): boolean {
  const protocol = parseUrl(url)?.protocol;
  return isOwnUrl(url) || protocol === 'data:' || (development && protocol === 'devtools:');
}

/** Cancels every request that leaves the app, and every download: files are saved through main's own dialogs. */
export function blockForeignRequests(
  session: Pick<Session, 'webRequest' | 'on'>,
  development: boolean,
  log: Log,
): void {
  session.webRequest.onBeforeRequest((details, answer) => {
    const allowed = isAllowedRequest(details.url, development);
    if (!allowed) log.warn(`A request was blocked: ${details.url.slice(0, 200)}`);
    answer({ cancel: !allowed });
  });
  session.on('will-download', (event, item) => {
    log.warn(`A download was blocked: ${item.getURL().slice(0, 200)}`);
    event.preventDefault();
  });
}
