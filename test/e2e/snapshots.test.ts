import { expect, test } from 'vitest';
import { callFromPage, valueOf } from './harness/calls';
import { launchApp } from './harness/launchApp';
import { hideWindow, showWindow } from './harness/nativeWindow';
import { seeSnapshots } from './harness/seen';

test('a visible window is sent a Snapshot each second, a hidden one none, and the newest when it is shown again', async () => {
  const app = await launchApp();
  const seen = await seeSnapshots(app);
  await expect.poll(() => seen.count()).toBeGreaterThan(2);

  await hideWindow(app);
  const whileHiding = await seen.count();
  const newest = async () => (await valueOf(app, 'snapshot.current', null))?.time ?? 0;
  const hiddenAt = await newest();
  await expect.poll(newest).toBeGreaterThan(hiddenAt + 3); // Main goes on to read.
  expect(await seen.count()).toBeLessThanOrEqual(whileHiding + 1); // One may have been on its way.

  const before = await seen.count();
  await showWindow(app);
  await expect.poll(() => seen.count()).toBeGreaterThan(before);
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
