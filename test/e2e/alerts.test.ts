import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { valueOf } from './harness/calls';
import { launchApp, type RunningApp } from './harness/launchApp';
import { closeWindow, exitCode, hideWindow, isVisible } from './harness/nativeWindow';
import { desktopPortsOf } from './harness/desktopPorts';
import { WorkstationPage } from './pages/WorkstationPage';

/** The rules that were announced, each once, in alphabetical order. */
async function announced(app: RunningApp): Promise<readonly string[]> {
  const notices = await desktopPortsOf(app.electron).notices();
  return [...new Set(notices.map(({ id }) => id.split('/')[0] ?? ''))].sort();
}

test('the story: what fills card 0 is announced, the tray follows, and a click selects the job', async () => {
  const app = await launchApp({ scene: 'eight-healthy' });
  const ports = desktopPortsOf(app.electron);
  await new WorkstationPage(app.window).waitForCards();
  await hideWindow(app);
  await valueOf(app, 'scenes.choose', { sceneId: 'two-3090-oom' });

  await expect.poll(() => announced(app)).toContain('nearly-full');
  await expect.poll(() => announced(app)).toContain('uneven');
  const uneven = (await ports.notices()).find(({ id }) => id.startsWith('uneven/'));
  expect(uneven?.title).toBe('Uneven use of cards (simulated)');
  expect(uneven?.body).toMatch(/^Everything is on card 0: finetune\.py holds 2\d\.\d GiB there/);
  await expect
    .poll(async () => (await ports.tray()).labels)
    .toEqual([
      'Show Headroom',
      '-',
      expect.stringMatching(/^Card 0, RTX 3090: 2[34] of 24 GiB$/),
      'Card 1, RTX 3090: 0 of 24 GiB',
      '-',
      'Snooze alerts for 1 hour',
      '-',
      'Quit',
    ]);

  await ports.clickNotice(uneven?.id ?? '');
  await expect.poll(() => isVisible(app)).toBe(true);
  await app.window.getByRole('row', { name: /^finetune\.py/, selected: true }).waitFor();
  const region = app.window.getByRole('region', { name: 'Uneven use of the cards' });
  expect(await region.innerText()).toContain('is one process without ranks; it uses card 0 only.');
});

test('a stale job is in the menu of the tray, which leads to it and its reasons; snoozing is seen there', async () => {
  const app = await launchApp({ scene: 'orphaned-ranks' });
  const ports = desktopPortsOf(app.electron);
  const labels = async () => (await ports.tray()).labels;
  await expect.poll(labels).toContain('Stale: train_gpt.py, 38.6 GiB');

  const job = (await valueOf(app, 'snapshot.current', null))?.jobs.find(({ verdict }) => verdict === 'stale');
  await ports.clickLine(`job-${job?.id ?? ''}`);
  await app.window.getByRole('row', { name: /^train_gpt\.py/, selected: true }).waitFor();
  await app.window.getByText(/^Its launcher \(pid \d+\) ended .* ago\.$/).waitFor();

  await ports.clickLine('snooze');
  await expect.poll(labels).toContainEqual(expect.stringContaining('Alerts are snoozed until'));
  await ports.clickLine('wake');
  await expect.poll(labels).toContain('Snooze alerts for 1 hour');
});

test('closing leaves the app in the tray: explained once, shown again from there', async () => {
  const app = await launchApp({ settings: { closeBehaviour: 'tray' } });
  const ports = desktopPortsOf(app.electron);
  await new WorkstationPage(app.window).waitForCards();
  await closeWindow(app);
  await expect.poll(() => isVisible(app)).toBe(false);
  expect(await app.dialogs.asked()).toMatchObject([{ id: 'close-to-tray', safeButtonId: 'keep' }]);
  await ports.clickLine('show');
  await expect.poll(() => isVisible(app)).toBe(true);
  await closeWindow(app);
  await expect.poll(() => isVisible(app)).toBe(false);
  expect(await app.dialogs.asked()).toHaveLength(1);
});

test('where the desktop shows no tray, closing ends the app', async () => {
  const app = await launchApp({
    settings: { closeBehaviour: 'tray' },
    env: { HEADROOM_TEST_TRAY: 'absent' },
  });
  await new WorkstationPage(app.window).waitForCards();
  await expect.poll(() => valueOf(app, 'desktop.read', null)).toMatchObject({ trayHost: 'absent' });
  const code = exitCode(app);
  await closeWindow(app);
  expect(await code).toBe(0);
});

test('a start at login opens no window; the tray does, at the place that is asked for', async () => {
  const app = await launchApp({
    args: ['--hidden'],
    beforeWindow: async (electron) => {
      const ports = desktopPortsOf(electron);
      await expect.poll(async () => (await ports.tray()).labels.join()).toContain('Card 1, RTX 3090');
      expect(electron.windows()).toHaveLength(0);
      await ports.clickLine('card-1');
    },
  });
  await new WorkstationPage(app.window).waitForCards();
  await expect.poll(() => isVisible(app)).toBe(true);
});

test('a start at login without a tray opens its window, for the task bar', async () => {
  const app = await launchApp({ args: ['--hidden'], env: { HEADROOM_TEST_TRAY: 'absent' } });
  // The virtual screen has no task bar to minimise to.
  expect(app.electron.windows()).toHaveLength(1);
});

test('start at login is an entry in the autostart folder, and goes with the switch', async () => {
  const app = await launchApp();
  const file = path.join(path.dirname(app.userData.folder), 'autostart', 'headroom.desktop');
  await valueOf(app, 'settings.change', { startAtLogin: true });
  // It is there for a moment before anything is in it.
  await expect
    .poll(() => (existsSync(file) ? readFileSync(file, 'utf8') : ''))
    .toMatch(/^Exec=.* --hidden$/m);
  await valueOf(app, 'settings.change', { startAtLogin: false });
  await expect.poll(() => existsSync(file)).toBe(false);
});

test('the first start is set up in four steps and ends in the Workstation', async () => {
  const app = await launchApp({ settings: { firstRunDone: false } });
  const { window } = app;
  await window.getByRole('heading', { level: 1, name: 'Language and look' }).waitFor();
  await window.getByRole('button', { name: 'Next' }).click();
  await window.getByText('Card 1, RTX 3090').waitFor();
  await window.getByRole('button', { name: 'Next' }).click();
  await window.getByRole('switch', { name: 'Likely out of memory' }).click();
  await window.getByRole('button', { name: 'Next' }).click();
  await window.getByRole('button', { name: 'Open the Workstation' }).click();
  await new WorkstationPage(window).waitForCards();
  const { settings } = await valueOf(app, 'settings.read', null);
  expect(settings.firstRunDone).toBe(true);
  expect(settings.rulesOff).toEqual(['died-on-full-card']);
  expect(app.complaints()).toEqual([]);
});
