import { expect, test } from 'vitest';
import { callFromPage, valueOf } from './harness/calls';
import { launchApp, type RunningApp } from './harness/launchApp';

/** Counts the Snapshots that the page is sent, from now on. */
const countSnapshots = (app: RunningApp) =>
  app.window.evaluate(
    `globalThis.counted = 0; headroom.on('snapshot', () => (globalThis.counted += 1)); undefined`,
  );
const counted = (app: RunningApp) => app.window.evaluate<number>('globalThis.counted');
const setVisible = (app: RunningApp, visible: boolean) =>
  app.electron.evaluate(({ BrowserWindow }, shown) => {
    const [window] = BrowserWindow.getAllWindows();
    if (shown) window?.show();
    else window?.hide();
  }, visible);

test('a visible window is sent a Snapshot each second, a hidden one none, and the newest when it is shown again', async () => {
  const app = await launchApp();
  await countSnapshots(app);
  await expect.poll(() => counted(app)).toBeGreaterThan(2);

  await setVisible(app, false);
  const whileHiding = await counted(app);
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  expect(await counted(app)).toBeLessThanOrEqual(whileHiding + 1); // One may have been on its way.

  const before = await counted(app);
  await setVisible(app, true);
  await expect.poll(() => counted(app)).toBeGreaterThan(before);
});

test('a scene that is chosen plays, and one that does not exist is refused', async () => {
  const app = await launchApp({ scene: 'two-3090-oom' });
  const current = () => valueOf(app, 'snapshot.current', null);
  const choose = (sceneId: string) => callFromPage(app, 'scenes.choose', { sceneId });

  await expect.poll(async () => (await current())?.cards.length).toBe(2);
  expect(await choose('eight-healthy')).toEqual({ ok: true, value: null });
  await expect.poll(async () => (await current())?.cards.length).toBe(8);
  expect((await current())?.source).toEqual({ kind: 'simulated', sceneId: 'eight-healthy' });

  expect(await choose('no-such-scene')).toMatchObject({ ok: false, code: 'not-found' });
  expect((await current())?.source).toEqual({ kind: 'simulated', sceneId: 'eight-healthy' });
});
