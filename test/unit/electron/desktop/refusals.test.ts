import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { denyWandering, type Wanderer } from '../../../../electron/desktop/navigation';
import { isOwnUrl, isStartPage } from '../../../../electron/desktop/origin';
import { denyPermissions, isPermitted } from '../../../../electron/desktop/permissions';
import { blockForeignRequests, isAllowedRequest } from '../../../../electron/desktop/requests';
import { claimSingleInstance } from '../../../../electron/desktop/singleInstance';
import { FakeLog } from '../fakes';

/** An event that notes whether it was stopped. */
function preventable(url?: string) {
  const event = {
    prevented: false,
    preventDefault: () => {
      event.prevented = true;
    },
    ...(url === undefined ? {} : { url }),
  };
  return event;
}

describe('origin', () => {
  it.each(['app://headroom', 'app://headroom/', 'app://headroom/a.js?b#c'])('knows %s as its own', (url) =>
    expect(isOwnUrl(url)).toBe(true),
  );
  it.each(['app://headroom/', 'app://headroom/index.html', 'app://headroom/index.html#x'])(
    'knows %s as its page',
    (url) => expect(isStartPage(url)).toBe(true),
  );
  it.each(['app://headroom/assets/a.js', 'app://headroom/other.html', 'app://other/index.html', 'x'])(
    'does not take %s for its page',
    (url) => expect(isStartPage(url)).toBe(false),
  );
});

describe('navigation', () => {
  class FakeContents extends EventEmitter {
    openHandler: Parameters<Wanderer['setWindowOpenHandler']>[0] | undefined;
    policy = '';
    setWindowOpenHandler(handler: Parameters<Wanderer['setWindowOpenHandler']>[0]): void {
      this.openHandler = handler;
    }
    setWebRTCIPHandlingPolicy(policy: string): void {
      this.policy = policy;
    }
  }
  const guard = () => {
    const contents = new FakeContents();
    denyWandering(contents as unknown as Wanderer, new FakeLog());
    return contents;
  };
  const foreign = [
    'https://example.com/',
    'http://localhost:3000/',
    'file:///home/ada/train.py',
    'app://other/index.html',
    'app://headroom/assets/main.js',
    'javascript:alert(1)',
    'data:text/html,hi',
    'about:blank',
    '',
  ];

  it.each(foreign)('does not go to %j', (url) => {
    for (const name of ['will-navigate', 'will-redirect']) {
      const contents = guard();
      const older = preventable();
      contents.emit(name, older, url); // Electron 25 hands the URL beside the event,
      const newer = preventable(url);
      contents.emit(name, newer); // newer ones inside it.
      expect([older.prevented, newer.prevented]).toEqual([true, true]);
    }
  });

  it('may load its own page again', () => {
    const event = preventable('app://headroom/index.html');
    guard().emit('will-navigate', event);
    expect(event.prevented).toBe(false);
  });

  it('shows no page in a frame, not even its own', () => {
    const inFrame = (isMainFrame: boolean, url: string) => {
      const event = Object.assign(preventable(url), { isMainFrame });
      guard().emit('will-frame-navigate', event);
      return event.prevented;
    };
    expect(inFrame(false, 'app://headroom/index.html')).toBe(true);
    expect(inFrame(false, 'https://example.com/')).toBe(true);
    expect(inFrame(true, 'https://example.com/')).toBe(true);
    expect(inFrame(true, 'app://headroom/index.html')).toBe(false);
  });

  it.each([...foreign, 'app://headroom/index.html'])('opens no window for %j', (url) => {
    const handler = guard().openHandler;
    expect(handler?.({ url } as Parameters<NonNullable<typeof handler>>[0])).toEqual({ action: 'deny' });
  });

  it('holds no webview', () => {
    const event = preventable();
    guard().emit('will-attach-webview', event);
    expect(event.prevented).toBe(true);
  });

  it('gives WebRTC no way out', () => {
    expect(guard().policy).toBe('disable_non_proxied_udp');
  });
});

describe('permissions', () => {
  type Session = Parameters<typeof denyPermissions>[0];
  type RequestHandler = NonNullable<Parameters<Session['setPermissionRequestHandler']>[0]>;
  type CheckHandler = NonNullable<Parameters<Session['setPermissionCheckHandler']>[0]>;
  const names = [
    'clipboard-read',
    'clipboard-sanitized-write',
    'media',
    'geolocation',
    'notifications',
    'midi',
    'fullscreen',
    'openExternal',
    'hid',
    'serial',
    'usb',
    'window-management',
    'unknown',
  ];

  it('gives only the clipboard for writing, and only to our own page', () => {
    const granted = names.filter((name) => isPermitted(name, 'app://headroom/index.html'));
    expect(granted).toEqual(['clipboard-sanitized-write']);
    expect(names.filter((name) => isPermitted(name, 'https://example.com/'))).toEqual([]);
  });

  it('answers requests, checks and devices that way', () => {
    let request: RequestHandler | undefined;
    let check: CheckHandler | undefined;
    let device: (() => boolean) | undefined;
    denyPermissions({
      setPermissionRequestHandler: (handler: RequestHandler) => (request = handler),
      setPermissionCheckHandler: (handler: CheckHandler) => (check = handler),
      setDevicePermissionHandler: (handler: () => boolean) => (device = handler),
    } as unknown as Session);
    const ask = (permission: string, requestingUrl: string): boolean => {
      let answer = true;
      request?.(null as never, permission as never, (given) => (answer = given), {
        requestingUrl,
      } as never);
      return answer;
    };
    const url = 'app://headroom/index.html';
    expect(ask('geolocation', url)).toBe(false);
    expect(ask('clipboard-sanitized-write', url)).toBe(true);
    expect(ask('clipboard-sanitized-write', 'https://example.com/')).toBe(false);
    expect(check?.(null, 'media', 'app://headroom', {} as never)).toBe(false);
    expect(check?.(null, 'clipboard-sanitized-write' as never, 'app://headroom', {} as never)).toBe(true);
    expect(device?.()).toBe(false);
  });
});

describe('requests', () => {
  it.each(['app://headroom/index.html', 'app://headroom/assets/a.js', 'data:image/png;base64,AA'])(
    'allows %s',
    (url) => expect(isAllowedRequest(url, false)).toBe(true),
  );
  it.each([
    'https://example.com/',
    'http://127.0.0.1:8080/',
    'ws://example.com/',
    'wss://example.com/',
    'file:///etc/passwd',
    'app://headroom.example/',
    'blob:https://example.com/1',
    'chrome://gpu',
    'devtools://devtools/bundled/inspector.html',
    'nonsense',
  ])('blocks %s', (url) => expect(isAllowedRequest(url, false)).toBe(false));

  it('lets the developer tools load themselves in development', () => {
    expect(isAllowedRequest('devtools://devtools/bundled/inspector.html', true)).toBe(true);
  });

  it('cancels a foreign request and a download', () => {
    type Session = Parameters<typeof blockForeignRequests>[0];
    const emitter = new EventEmitter();
    let filter:
      ((details: { url: string }, answer: (response: { cancel?: boolean }) => void) => void) | undefined;
    const session = Object.assign(emitter, {
      webRequest: { onBeforeRequest: (listener: typeof filter) => (filter = listener) },
    });
    const log = new FakeLog();
    blockForeignRequests(session as unknown as Session, false, log);

    const cancelled = (url: string): boolean | undefined => {
      let result: boolean | undefined;
      filter?.({ url }, ({ cancel }) => (result = cancel));
      return result;
    };
    expect(cancelled('https://example.com/?stolen')).toBe(true);
    expect(cancelled('app://headroom/index.html')).toBe(false);

    const event = preventable();
    emitter.emit('will-download', event, { getURL: () => 'data:text/plain,hi' });
    expect(event.prevented).toBe(true);
    expect(log.lines).toHaveLength(2);
  });
});

describe('a second start', () => {
  const fakeApp = (first: boolean) =>
    Object.assign(new EventEmitter(), { requestSingleInstanceLock: () => first });
  type App = Parameters<typeof claimSingleInstance>[0];

  it('ends at once where another Headroom runs', () => {
    const app = fakeApp(false);
    expect(claimSingleInstance(app as unknown as App, () => undefined)).toBe(false);
    expect(app.listenerCount('second-instance')).toBe(0);
  });

  it('shows the window of the first', () => {
    const app = fakeApp(true);
    let shown = 0;
    expect(claimSingleInstance(app as unknown as App, () => (shown += 1))).toBe(true);
    app.emit('second-instance', {}, ['headroom', '--evil'], '/', null);
    expect(shown).toBe(1);
  });
});
