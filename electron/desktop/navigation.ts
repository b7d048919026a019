import type { WebContents } from 'electron';
import type { Log } from '../storage/log';
import { isStartPage } from './origin';

/** The parts of WebContents that are used, so that a test can stand in for it. */
export type Wanderer = Pick<WebContents, 'on' | 'setWindowOpenHandler' | 'setWebRTCIPHandlingPolicy'>;

interface Preventable {
  readonly preventDefault: () => void;
  readonly url?: string;
  readonly isMainFrame?: boolean;
}

/**
 * Keeps a page where it is: it may reload itself, but go nowhere else, open no window and hold no webview. A file
 * dropped on the window is such a navigation too.
 */
export function denyWandering(contents: Wanderer, log: Log): void {
  const stay = (event: Preventable, url: string | undefined): void => {
    // Electron 25 also passes the URL as an argument; newer ones only carry it in the event.
    const target = url ?? event.url ?? '';
    // A frame inside the page has no page to show, not even ours.
    if (isStartPage(target) && event.isMainFrame !== false) return;
    log.warn(`A navigation was refused: ${target.slice(0, 200)}`);
    event.preventDefault();
  };
  contents.on('will-navigate', (event: Preventable, url?: string) => stay(event, url));
  contents.on('will-frame-navigate', (event: Preventable) => stay(event, undefined));
  contents.on('will-redirect', (event: Preventable, url?: string) => stay(event, url));
  contents.on('will-attach-webview', (event) => {
    log.warn('A webview was refused.');
    event.preventDefault();
  });
  contents.setWindowOpenHandler(({ url }) => {
    log.warn(`A new window was refused: ${url.slice(0, 200)}`);
    return { action: 'deny' };
  });
  // Requests of WebRTC pass neither the content security policy nor the request filter.
  contents.setWebRTCIPHandlingPolicy('disable_non_proxied_udp');
}
