import { screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import type { Alert } from '../../shared/alerts/snapshot';
import { textOf, textsIn, cardFigures } from './support/queries';
import { expectAccessible, renderApp, settle } from './support/renderApp';
import { eightCards, twoCards } from './support/scenes';
import { noon } from './support/snapshots';

const later = (seconds: number, share: number) => {
  const two = twoCards();
  return {
    ...two,
    time: noon + seconds,
    cardsReadAt: noon + seconds,
    cards: two.cards.map((card) => ({ ...card, utilizationPercent: share })),
  };
};

test('the rail leads to the places that are there, and keys do too', async () => {
  const user = userEvent.setup();
  const { container } = await renderApp(twoCards());
  const rail = screen.getByRole('navigation', { name: 'Places' });
  expect(textsIn(rail, 'li')).toEqual(['Workstation', 'Plan', 'Doctor', 'Check', 'Settings']);
  expect(within(rail).getByRole('button', { name: 'Workstation' }).getAttribute('aria-current')).toBe('page');

  await user.keyboard('5');
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Settings');
  await user.keyboard('1');
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('rig-01');
  await user.click(within(rail).getByRole('button', { name: 'Settings' }));
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Settings');
  await expectAccessible(container);
});

test('keys that are typed into a field stay there', async () => {
  const user = userEvent.setup();
  const { state } = await renderApp(twoCards());
  await user.type(screen.getByRole('searchbox'), '5 ?');
  expect(state.route.place).toBe('workstation');
  expect(state.snapshots.paused).toBe(false);
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('what was typed is still there after a visit elsewhere', async () => {
  const user = userEvent.setup();
  await renderApp(twoCards());
  await user.type(screen.getByRole('searchbox'), 'train{Escape}');
  await user.keyboard('5');
  await user.keyboard('1');
  expect(screen.getByRole<HTMLInputElement>('searchbox').value).toBe('train');
});

test('where a view goes with what had the focus, the heading of the next one has it, there and back', async () => {
  const user = userEvent.setup();
  await renderApp(twoCards());
  expect(document.activeElement).toBe(document.body);
  within(screen.getByRole('main')).getAllByRole('button')[0]?.focus();
  await user.keyboard('5');
  await settle();
  expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1, name: 'Settings' }));
  await user.keyboard('1');
  await settle();
  expect(document.activeElement).toBe(screen.getByRole('heading', { level: 1, name: 'rig-01' }));

  const rail = screen.getByRole('navigation', { name: 'Places' });
  await user.click(within(rail).getByRole('button', { name: 'Settings' }));
  await settle();
  expect(document.activeElement).toBe(within(rail).getByRole('button', { name: 'Settings' }));
});

test('? lists all keys, Escape closes the list', async () => {
  const user = userEvent.setup();
  const { container } = await renderApp(twoCards());
  await user.keyboard('?');
  const dialog = screen.getByRole('dialog', { name: 'Keys' });
  expect(textsIn(dialog, 'dl > div')).toContain('5 Go to Settings');
  expect(textsIn(dialog, 'dl > div')).toContain('Space Pause or continue the view');
  await expectAccessible(container);
  await user.click(within(dialog).getByRole('button', { name: 'Close' }));
  expect(screen.queryByRole('dialog')).toBeNull();
});

test('Space pauses the view and says since when; the next Space shows the newest', async () => {
  const user = userEvent.setup();
  const { bridge, container } = await renderApp(later(0, 98));
  await user.keyboard(' ');
  expect(screen.getByText(/^Paused at \d\d:\d\d:\d\d$/)).toBeTruthy();
  bridge.push(later(1, 97));
  bridge.push(later(2, 50));
  await settle();
  expect(cardFigures(0)[1]).toBe('98 % 1,695 MHz');
  await expectAccessible(container);
  await user.keyboard(' ');
  expect(cardFigures(0)[1]).toBe('50 % 1,695 MHz');
  expect(screen.queryByText(/^Paused/)).toBeNull();
});

test('nothing is drawn while the page cannot be seen, and main is told', async () => {
  const { bridge, state } = await renderApp(later(0, 98));
  state.snapshots.setVisible(false);
  bridge.push(later(1, 40));
  await settle();
  expect(cardFigures(0)[1]).toBe('98 % 1,695 MHz');
  state.snapshots.setVisible(true);
  await settle();
  expect(cardFigures(0)[1]).toBe('40 % 1,695 MHz');
  expect(bridge.calls.filter(({ name }) => name === 'view.visible').map(({ argument }) => argument)).toEqual([
    { visible: false },
    { visible: true },
  ]);
});

test('the menu’s commands do what the keys do', async () => {
  const { bridge, state } = await renderApp(twoCards());
  bridge.emit('command', 'togglePause');
  expect(state.snapshots.paused).toBe(true);
  bridge.emit('command', 'find');
  expect(document.activeElement).toBe(screen.getByRole('searchbox'));
  bridge.emit('command', 'showKeys');
  await settle();
  expect(screen.getByRole('dialog', { name: 'Keys' })).toBeTruthy();
  bridge.emit('navigate', { place: 'settings', gpuIndex: null, jobId: null });
  await settle();
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Settings');
});

test('the menu leads to the wizard', async () => {
  const { bridge } = await renderApp(twoCards());
  bridge.emit('navigate', { place: 'plan', gpuIndex: null, jobId: null });
  await settle();
  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('Plan');
});

test('a card’s alert opens its large chart', async () => {
  const { bridge } = await renderApp(eightCards());
  bridge.emit('navigate', { place: 'workstation', gpuIndex: 3, jobId: null });
  await settle();
  expect(screen.getByRole('heading', { name: 'Card 3, H100 80GB HBM3' })).toBeTruthy();
});

test('alerts are counted at the foot of the rail and listed with their level as a word', async () => {
  const user = userEvent.setup();
  const alert = (id: string, severity: Alert['severity']): Alert => ({
    id,
    rule: 'hot',
    severity,
    gpuIndex: 0,
    jobId: null,
    jobTitle: null,
    text: { key: 'problems.cardLost', values: { card: '0' } },
    since: noon - 120,
  });
  const { container } = await renderApp({
    ...twoCards(),
    alerts: [alert('a', 'critical'), alert('b', 'warning')],
  });
  await user.click(screen.getByRole('button', { name: '2 alerts' }));
  const dialog = screen.getByRole('dialog', { name: 'Alerts' });
  expect(within(dialog).getAllByRole('listitem').map(textOf)).toEqual([
    'Card 0 has fallen off the bus and no longer answers. for 2 min Show Snooze for 1 hour',
    'Card 0 has fallen off the bus and no longer answers. for 2 min Show Snooze for 1 hour',
  ]);
  expect(within(dialog).getByRole('img', { name: 'Critical' })).toBeTruthy();
  expect(within(dialog).getByRole('img', { name: 'Warning' })).toBeTruthy();
  await expectAccessible(container);
});

test('the theme is the chosen one, or the system’s', async () => {
  await renderApp(twoCards(), { settings: { theme: 'system' }, viewport: { dark: true } });
  expect(document.documentElement.dataset['theme']).toBe('dark');
  await renderApp(twoCards(), { settings: { theme: 'light' }, viewport: { dark: true } });
  expect(document.documentElement.dataset['theme']).toBe('light');
});

test('a simulated workstation is marked, and can be switched', async () => {
  const user = userEvent.setup();
  const { bridge } = await renderApp(twoCards());
  expect(screen.getByText('Simulated')).toBeTruthy();
  await user.selectOptions(screen.getByRole('combobox', { name: 'Simulated scene' }), '');
  expect(bridge.calls.at(-1)).toEqual({ name: 'scenes.choose', argument: { sceneId: null } });
});

test('a scene that cannot start says why', async () => {
  const user = userEvent.setup();
  await renderApp(eightCards(), {
    prepare: (fake) => {
      fake.answers['scenes.choose'] = ({ sceneId }) => ({
        ok: false,
        code: 'not-found',
        message: { key: 'desktop.unknownScene', values: { sceneId } },
      });
    },
  });
  await user.selectOptions(screen.getByRole('combobox', { name: 'Simulated scene' }), 'two-3090-oom');
  expect(textOf(screen.getByRole('alert'))).toBe(
    'The scene could not be started: There is no scene named “two-3090-oom”.',
  );
});
