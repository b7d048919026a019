import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { start, type RunningApp } from './harness/launchApp';

/** Each refusal of SECURITY.md once in the real Electron; what each function decides is in test/unit/electron. */

let app: RunningApp;
let server: Server;
let serverUrl: string;
/** Every request that reached the world outside the app. */
const reached: string[] = [];

beforeAll(async () => {
  server = createServer((request, response) => {
    reached.push(request.url ?? '');
    response.setHeader('access-control-allow-origin', '*').end('reached');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  serverUrl = `http://127.0.0.1:${address.port}`;
  app = await start({});
});

afterAll(async () => {
  await app.close();
  await new Promise((resolve) => server.close(resolve));
});

/** Runs code of a page that was taken over; a rejection gives its name. */
function inPage<Result>(code: string): Promise<Result> {
  return app.window.evaluate<Result>(`(async () => { ${code} })()`);
}

/** What our main frame shows now. */
const pageUrl = (): Promise<string> => inPage<string>('return location.href');

test('the page has the bridge and nothing of Node or Electron', async () => {
  const names = ['require', 'process', 'module', 'Buffer', 'ipcRenderer', 'electron'];
  expect(await inPage(`return ${JSON.stringify(names)}.filter((name) => name in globalThis)`)).toEqual([]);
  expect(await inPage('return [Object.keys(headroom), Object.isFrozen(headroom)]')).toEqual([
    ['call', 'on'],
    true,
  ]);
});

test('no code is made from text, and no script or style stands in the page itself', async () => {
  // Later, because the debugger lets code from text run while it evaluates.
  const made = await inPage(`return await new Promise((resolve) => setTimeout(() => {
    try { resolve(new Function('return 1')()); } catch (error) { resolve(error.name); }
  }))`);
  expect(made).toBe('EvalError');
  await inPage(`
    const script = document.createElement('script');
    script.textContent = 'globalThis.injected = true';
    document.body.append(script);
    const image = document.createElement('div');
    image.innerHTML = '<img src="x" onerror="globalThis.injected = true">';
    document.body.append(image);
    await new Promise((resolve) => setTimeout(resolve, 200));`);
  expect(await inPage('return globalThis.injected ?? null')).toBeNull();
});

test('nothing reaches the world outside, neither from the page nor past its policy', async () => {
  const attempts = await inPage<readonly string[]>(`
    const outcomes = [];
    outcomes.push(await fetch('${serverUrl}/fetch').then(() => 'sent', (error) => error.name));
    outcomes.push(await new Promise((resolve) => {
      const image = new Image();
      image.onload = () => resolve('loaded');
      image.onerror = () => resolve('blocked');
      image.src = '${serverUrl}/image.png';
    }));
    outcomes.push(await new Promise((resolve) => {
      const script = document.createElement('script');
      script.onload = () => resolve('loaded');
      script.onerror = () => resolve('blocked');
      script.src = '${serverUrl}/script.js';
      document.body.append(script);
    }));
    outcomes.push(await new Promise((resolve) => {
      try {
        const socket = new WebSocket('${serverUrl.replace('http', 'ws')}/socket');
        socket.onopen = () => resolve('open');
        socket.onerror = () => resolve('blocked');
      } catch (error) { resolve('blocked'); }
    }));
    return outcomes;`);
  expect(attempts).toEqual(['TypeError', 'blocked', 'blocked', 'blocked']);

  // A page without our policy meets the request filter of the session.
  const loaded = await app.electron.evaluate(async ({ BrowserWindow }, url) => {
    const window = new BrowserWindow({ show: false });
    const outcome = await window.loadURL(`${url}/page`).then(
      () => 'loaded',
      (error: Error) => error.message.slice(0, 21),
    );
    window.destroy();
    return outcome;
  }, serverUrl);
  expect(loaded).toBe('ERR_BLOCKED_BY_CLIENT');
  expect(reached).toEqual([]);
});

test('the page stays where it is', async () => {
  const home = await pageUrl();
  for (const target of [
    `${serverUrl}/`,
    'app://elsewhere/index.html',
    'file:///etc/passwd',
    '/assets/none.html',
  ]) {
    await inPage(
      `location.href = ${JSON.stringify(target)}; await new Promise((resolve) => setTimeout(resolve, 200))`,
    );
    expect(await pageUrl()).toBe(home);
  }
  expect(reached).toEqual([]);
});

test('it opens no window and holds no other page', async () => {
  expect(await inPage(`return window.open('${serverUrl}/popup') === null`)).toBe(true);
  await inPage(`
    const link = document.createElement('a');
    link.href = '${serverUrl}/link';
    link.target = '_blank';
    document.body.append(link);
    link.click();
    const webview = document.createElement('webview');
    webview.src = '${serverUrl}/webview';
    const frame = document.createElement('iframe');
    frame.src = '${serverUrl}/frame';
    const own = document.createElement('iframe');
    own.src = 'app://headroom/index.html';
    document.body.append(webview, frame, own);
    await new Promise((resolve) => setTimeout(resolve, 500));`);
  const shown = await app.electron.evaluate(({ BrowserWindow, webContents }) => ({
    windows: BrowserWindow.getAllWindows().length,
    pages: webContents.getAllWebContents().length,
  }));
  expect(shown).toEqual({ windows: 1, pages: 1 });
  const inFrames = () =>
    app.window
      .frames()
      .slice(1)
      .map((frame) => frame.url())
      .filter((url) => !url.startsWith('chrome-error:') && url !== '');
  // A frame is empty for a moment before it is refused.
  await expect.poll(inFrames).toEqual([]);
  expect(reached).toEqual([]);
});

test('it gets no permission but to put text on the clipboard', async () => {
  const states = await inPage(`
    const states = {};
    for (const name of ['geolocation', 'notifications', 'camera', 'microphone', 'midi', 'clipboard-read'])
      states[name] = (await navigator.permissions.query({ name })).state;
    states.position = await new Promise((resolve) =>
      navigator.geolocation.getCurrentPosition(() => resolve('granted'), (error) => resolve(error.code)));
    return states;`);
  expect(states).toEqual({
    geolocation: 'denied',
    notifications: 'denied',
    camera: 'denied',
    microphone: 'denied',
    midi: 'denied',
    'clipboard-read': 'denied',
    position: 1, // PERMISSION_DENIED
  });
  const copied = await inPage(`await navigator.clipboard.writeText('12.3 GiB'); return 'copied'`);
  expect(copied).toBe('copied');
});

test('the protocol serves the page and nothing outside its folder', async () => {
  const status = (path: string) => inPage<number>(`return (await fetch(${JSON.stringify(path)})).status`);
  expect(await status('/index.html')).toBe(200);
  expect(await status('/..%2fmain.cjs')).toBe(403);
  expect(await status('/%2e%2e%2f%2e%2e%2fpackage.json')).toBe(403);
  expect(await status('/assets/..%5c..%5cmain.cjs')).toBe(403);
  expect(await status('/../main.cjs')).toBe(403); // Chromium asks for /main.cjs, a kind that is not served.
  const header = await inPage<string>(
    "return (await fetch('/index.html')).headers.get('content-security-policy')",
  );
  expect(header).toContain("default-src 'none'; script-src 'self'");
});

test('a call must be known and its argument must fit', async () => {
  expect(await inPage("return headroom.call('process.kill', { pid: 1 })")).toMatchObject({
    ok: false,
    code: 'unknown-call',
  });
  expect(await inPage("return headroom.call('settings.change', { nvidiaSmiPath: '/bin/sh' })")).toMatchObject(
    {
      ok: false,
      code: 'bad-argument',
    },
  );
  expect(await inPage("return headroom.call('app.info', null)")).toMatchObject({
    ok: true,
    value: { name: 'Headroom', sandboxed: true },
  });
});

test('a call from another window is refused, even with our page and preload in it', async () => {
  const reply = await app.electron.evaluate(async ({ app: electronApp, BrowserWindow }) => {
    const preload = `${electronApp.getAppPath()}/dist/preload.cjs`;
    const window = new BrowserWindow({ show: false, webPreferences: { preload, sandbox: true } });
    await window.loadURL('app://headroom/index.html');
    const answer: unknown = await window.webContents.executeJavaScript(
      "headroom.call('snapshot.current', null)",
    );
    window.destroy();
    return answer;
  });
  expect(reply).toMatchObject({ ok: false, code: 'untrusted-sender' });
});

test('no download starts', async () => {
  const started = await app.electron.evaluate(async ({ BrowserWindow, session }) => {
    const outcome = new Promise((resolve) =>
      session.defaultSession.once('will-download', (event) =>
        resolve(event.defaultPrevented ? 'prevented' : 'started'),
      ),
    );
    const window = BrowserWindow.getAllWindows()[0];
    await window?.webContents.executeJavaScript(`
      const link = document.createElement('a');
      link.download = 'x.txt';
      link.href = 'data:text/plain,hi';
      link.click();`);
    return outcome;
  });
  expect(started).toBe('prevented');
});
