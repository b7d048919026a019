import { screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { defaultSettings } from '../../shared/contract/defaultSettings';
import { message } from '../../shared/i18n/message';
import { textOf } from './support/queries';
import { expectAccessible, renderApp, settle, type RenderedApp } from './support/renderApp';
import { twoCards } from './support/scenes';

async function openSettings(...rest: Parameters<typeof renderApp> extends [unknown, ...infer R] ? R : never) {
  const app = await renderApp(twoCards(), ...rest);
  app.state.route.go('settings');
  await settle();
  return app;
}

const lastCall = (app: RenderedApp) => app.bridge.calls.at(-1);

test('the language changes at once, without a restart', async () => {
  const user = userEvent.setup();
  const app = await openSettings();
  await user.selectOptions(screen.getByRole('combobox', { name: 'Language' }), 'zh-CN');
  expect(lastCall(app)).toEqual({ name: 'settings.change', argument: { language: 'zh-CN' } });
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('设置');
  expect(document.documentElement.lang).toBe('zh-CN');
  await expectAccessible(app.container);
});

test('theme, interval, read-only mode, tray and closing are asked of main', async () => {
  const user = userEvent.setup();
  const app = await openSettings();
  await user.click(screen.getByRole('radio', { name: 'Dark' }));
  expect(lastCall(app)?.argument).toEqual({ theme: 'dark' });
  expect(document.documentElement.dataset['theme']).toBe('dark');
  await user.selectOptions(screen.getByRole('combobox', { name: 'Interval' }), '5');
  expect(lastCall(app)?.argument).toEqual({ intervalSeconds: 5 });
  await user.click(screen.getByRole('switch', { name: 'Read-only' }));
  expect(lastCall(app)?.argument).toEqual({ readOnly: true });
  await user.click(screen.getByRole('radio', { name: 'keeps it in the tray' }));
  expect(lastCall(app)?.argument).toEqual({ closeBehaviour: 'tray' });
  await user.click(screen.getByRole('switch', { name: 'Show an icon in the tray' }));
  expect(lastCall(app)?.argument).toEqual({ trayEnabled: false });
  expect(screen.getByRole<HTMLInputElement>('switch', { name: /^Start without/ }).disabled).toBe(true);
  await expectAccessible(app.container);
});

test('an interval from the settings file that is not among the offered ones is kept', async () => {
  await openSettings({ settings: { intervalSeconds: 7 } });
  expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'Interval' }).value).toBe('7');
});

test('nvidia-smi is chosen in main’s own dialog, never by a path from here', async () => {
  const user = userEvent.setup();
  const app = await openSettings();
  await user.click(screen.getByRole('button', { name: 'Choose…' }));
  expect(lastCall(app)).toEqual({ name: 'settings.chooseNvidiaSmi', argument: { useDefault: false } });
  expect(screen.getByText('/opt/nvidia/bin/nvidia-smi')).toBeTruthy();
  await user.click(screen.getByRole('button', { name: 'Use the usual places' }));
  expect(lastCall(app)?.argument).toEqual({ useDefault: true });
  expect(screen.getByText('Found in the usual places')).toBeTruthy();
});

test('a change that main refuses is said, and the switch shows what holds', async () => {
  const user = userEvent.setup();
  const app = await openSettings({
    prepare: (fake) => {
      fake.answers['settings.change'] = () => ({
        ok: false,
        code: 'failed',
        message: { key: 'desktop.settingsNotSaved', values: { problem: 'ENOSPC' } },
      });
    },
  });
  await user.click(screen.getByRole('switch', { name: 'Read-only' }));
  expect(textOf(screen.getByRole('alert'))).toContain('ENOSPC');
  expect(screen.getByRole<HTMLInputElement>('switch', { name: 'Read-only' }).checked).toBe(false);
  await expectAccessible(app.container);
});

test('a damaged settings file is told', async () => {
  const app = await openSettings();
  app.bridge.emit('settings', {
    settings: { ...defaultSettings, language: 'en', firstRunDone: true },
    notice: { key: 'desktop.settingsDamaged', values: { file: 'settings.json.damaged' } },
  });
  await settle();
  expect(textOf(screen.getByRole('status'))).toContain('The old file was kept as settings.json.damaged.');
  await expectAccessible(app.container);
});

test('a damaged settings file is told where people are, until it is put away', async () => {
  const { bridge, state } = await renderApp(twoCards());
  const notice = { key: 'desktop.settingsDamaged', values: { file: 'settings.damaged.json' } } as const;
  bridge.emit('settings', { settings: bridge.settings, notice });
  await settle();
  expect(screen.getByText(/The old file was kept as settings\.damaged\.json\./)).toBeTruthy();
  await userEvent.setup().click(screen.getByRole('button', { name: 'Dismiss' }));
  expect(screen.queryByText(/settings\.damaged\.json/)).toBeNull();
  state.route.go('settings');
  await settle();
  expect(screen.getByText(/settings\.damaged\.json/)).toBeTruthy();
});

test('single keys change the place unless they are switched off', async () => {
  const { bridge, state } = await renderApp(twoCards());
  const user = userEvent.setup();
  await user.keyboard('3');
  expect(state.route.place).toBe('doctor');
  bridge.emit('settings', { settings: { ...bridge.settings, singleKeys: false }, notice: null });
  await settle();
  await user.keyboard('1?');
  expect(state.route.place).toBe('doctor');
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('a log folder that cannot be opened says why', async () => {
  const user = userEvent.setup();
  const app = await openSettings();
  app.bridge.answers['app.openLogs'] = () => ({
    ok: false,
    code: 'failed',
    message: message('desktop.cannotOpenLogs', { problem: 'no file manager' }),
  });
  await user.click(screen.getByRole('button', { name: 'Open the log folder' }));
  await settle();
  expect(screen.getByRole('alert').textContent).toContain('no file manager');
  app.bridge.answers['app.openLogs'] = () => ({ ok: true, value: null });
  await user.click(screen.getByRole('button', { name: 'Open the log folder' }));
  await settle();
  expect(screen.queryByRole('alert')).toBeNull();
});
