import { afterAll, beforeAll, expect, test } from 'vitest';
import { start, type RunningApp } from './harness/launchApp';
import { Shell } from './pages/Shell';

let app: RunningApp;
beforeAll(async () => {
  app = await start({});
});
afterAll(() => app.close());

/** Chooses a line of the app's menu, as a person does. */
const choose = (menu: string, line: string) =>
  app.electron.evaluate(
    ({ Menu }, [menuLabel, lineLabel]) => {
      const items = Menu.getApplicationMenu()?.items.find((item) => item.label === menuLabel)?.submenu?.items;
      items?.find((item) => item.label === lineLabel)?.click();
    },
    [menu, line] as const,
  );

test('a place of the menu is shown by the page', async () => {
  await choose('File', 'Settings');
  await new Shell(app.window).shows('settings');
  await app.window.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  await choose('View', 'Workstation');
  await new Shell(app.window).shows('workstation');
});

test('the list of keys opens from the menu', async () => {
  await choose('Help', 'Keys');
  await app.window.getByRole('dialog').waitFor();
  await app.window.keyboard.press('Escape');
  await expect.poll(() => app.window.getByRole('dialog').count()).toBe(0);
});
