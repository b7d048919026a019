import { screen } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { textsIn } from './support/queries';
import { expectAccessible, renderApp, settle } from './support/renderApp';
import { driverMismatch, twoCards } from './support/scenes';

const heading = () => screen.getByRole('heading', { level: 1 }).textContent;
const first = { settings: { firstRunDone: false } };

test('four short steps, each with what holds at once, end in the Workstation', async () => {
  const user = userEvent.setup();
  const { bridge, container } = await renderApp(twoCards(), first);
  expect(heading()).toBe('Language and look');
  await user.selectOptions(screen.getByRole('combobox', { name: 'Language' }), 'zh-CN');
  expect(heading()).toBe('语言与外观');
  await user.selectOptions(screen.getByRole('combobox', { name: '语言' }), 'en');
  await expectAccessible(container);

  await user.click(screen.getByRole('button', { name: 'Next' }));
  expect(heading()).toBe('Your cards');
  expect(document.activeElement?.textContent).toBe('Your cards');
  expect(textsIn(container, '.row')).toEqual([
    expect.stringMatching(/^Simulated No NVIDIA card was found or a scene was asked for/),
    'Card 0, RTX 3090 24.0 GiB',
    'Card 1, RTX 3090 24.0 GiB',
  ]);
  await expectAccessible(container);

  await user.click(screen.getByRole('button', { name: 'Next' }));
  await user.click(screen.getByRole('switch', { name: 'Card will be full' }));
  expect(bridge.settings.rulesOff).toEqual(['will-fill']);
  await expectAccessible(container);
  await user.click(screen.getByRole('button', { name: 'Next' }));
  expect(heading()).toBe('Tray and start');
  await expectAccessible(container);
  await user.click(screen.getByRole('button', { name: 'Back' }));
  expect(heading()).toBe('Alerts');
  await user.click(screen.getByRole('button', { name: 'Next' }));
  await user.click(screen.getByRole('button', { name: 'Open the Workstation' }));
  await settle();
  expect(bridge.settings.firstRunDone).toBe(true);
  expect(heading()).toBe('rig-01');
});

test('can end in the wizard', async () => {
  const user = userEvent.setup();
  const { bridge, state } = await renderApp(twoCards(), first);
  for (let steps = 0; steps < 3; steps += 1) await user.click(screen.getByRole('button', { name: 'Next' }));
  await user.click(screen.getByRole('button', { name: 'Plan a training' }));
  await settle();
  expect(bridge.settings.firstRunDone).toBe(true);
  expect(state.route.place).toBe('plan');
});

test('can be skipped at once, and keys of the window do nothing before', async () => {
  const user = userEvent.setup();
  const { bridge } = await renderApp(twoCards(), first);
  await user.keyboard('5?');
  expect([heading(), screen.queryByRole('dialog')]).toEqual(['Language and look', null]);
  await user.click(screen.getByRole('button', { name: 'Skip the set-up' }));
  await settle();
  expect(bridge.settings.firstRunDone).toBe(true);
  expect(heading()).toBe('rig-01');
});

test('says what is wrong where no card can be read', async () => {
  const user = userEvent.setup();
  await renderApp(driverMismatch(), first);
  await user.click(screen.getByRole('button', { name: 'Next' }));
  expect(screen.getByText('No NVIDIA cards are reported.')).toBeTruthy();
});
