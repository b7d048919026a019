import { screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { unevenAlertId } from '../../shared/alerts/rules/uneven';
import type { Alert, Snapshot } from '../../shared/alerts/snapshot';
import type { Forecast } from '../../shared/gpu/forecast/forecast';
import { imbalances } from '../../shared/snapshot/imbalance/imbalances';
import { message } from '../../shared/i18n/message';
import { GiB, MiB } from '../../shared/units';
import { cardRow, jobRow, textOf, textsIn } from './support/queries';
import { expectAccessible, renderApp, settle } from './support/renderApp';
import { eightCards, twoCards } from './support/scenes';
import { card, job, member, noon, snapshot } from './support/snapshots';

const rising: Forecast = {
  gpuIndex: 0,
  pid: null,
  state: 'growing',
  slopeBytesPerSecond: 12 * MiB,
  etaSeconds: 363,
  risingForSeconds: 240,
  willFill: false,
  mayBeLoading: false,
  etaRangeSeconds: [300, 420],
  growingPids: [41822],
  announced: null,
};

/** Two cards with everything on the first, which fills. */
function filling(forecast: Partial<Forecast> = {}): Snapshot {
  const two = twoCards();
  return {
    ...two,
    forecast: [{ ...rising, ...forecast }],
    imbalance: imbalances(two.cards, two.jobs),
  };
}

/** Two ranks whose launcher ended two hours ago, beside a healthy job. */
function leftovers(): Snapshot {
  return snapshot({
    cards: [card(0, { memoryUsedBytes: 12 * GiB }), card(1, { memoryUsedBytes: 12 * GiB })],
    jobs: [
      job(
        '900-1',
        [
          member(900, [[0, 11 * GiB]], { role: 'rank', rank: 0 }),
          member(901, [[1, 11 * GiB]], { role: 'rank', rank: 1 }),
        ],
        {
          title: 'old_run.py',
          kind: 'torchrun',
          verdict: 'stale',
          reasons: [
            {
              sign: 'launcher-gone',
              text: message('stale.launcherGone', { pid: 880, since: 7200 }),
              weight: 0.95,
            },
            { sign: 'port-silent', text: message('stale.portSilent', { port: '29500' }), weight: 0.4 },
          ],
          against: [{ sign: 'other-user', text: message('stale.otherUser', { user: 'bob' }), weight: 0 }],
        },
      ),
      job('950-1', [member(950, [[0, 1 * GiB]])], { title: 'eval.py' }),
    ],
  });
}

test('a card that fills says when, how fast and for how long', async () => {
  const { bridge, container } = await renderApp(filling());
  expect(textOf(cardRow(0).querySelector('.forecast'))).toBe('full in about 6 min (+12 MiB/s over 4 min)');
  expect(cardRow(0).querySelector('.forecast')?.getAttribute('title')).toBe('train.py grows');
  expect(cardRow(1).querySelector('.forecast')).toBeNull();
  bridge.push({ ...filling({ etaRangeSeconds: [230, 540] }), time: noon + 1 });
  await settle();
  expect(textOf(cardRow(0).querySelector('.forecast'))).toBe('full in 4 to 9 min (+12 MiB/s over 4 min)');
  bridge.push({
    ...filling({ etaSeconds: 83, etaRangeSeconds: [70, 95], willFill: true }),
    time: noon + 1,
  });
  await settle();
  expect(textOf(cardRow(0).querySelector('.forecast.critical'))).toMatch(/^full in about 80 sec /);
  bridge.push({ ...filling({ etaSeconds: null }), time: noon + 2 });
  await settle();
  expect(textOf(cardRow(0).querySelector('.forecast'))).toMatch(/^rising, levelling off/);
  bridge.push({ ...filling({ state: 'steady' }), time: noon + 3 });
  await settle();
  expect(cardRow(0).querySelector('.forecast')).toBeNull();
  await expectAccessible(container);
});

test('where cards have one line each, the mark tells the forecast', async () => {
  const eight = eightCards();
  await renderApp({
    ...eight,
    forecast: [{ ...rising, growingPids: [5101], willFill: true, etaSeconds: 60, etaRangeSeconds: [55, 65] }],
  });
  const mark = within(cardRow(0)).getByRole('img', { name: /^Critical: full in about 60 sec/ });
  expect(mark).toBeTruthy();
});

test('what is uneven is said with its reason and remedy, until it is snoozed', async () => {
  const user = userEvent.setup();
  const { bridge, container } = await renderApp(filling());
  const region = screen.getByRole('region', { name: 'Uneven use of the cards' });
  expect(within(region).getByRole('heading').textContent).toBe(
    'Everything is on card 0: train.py holds 22.6 GiB there, and one card is idle.',
  );
  expect(textsIn(region, '.words p')).toEqual([
    'train.py is one process without ranks; it uses card 0 only.',
    'What to do: Start one rank per card with torchrun (DDP or FSDP), or let the plan show what fits on 2 cards.',
  ]);
  await expectAccessible(container);
  await user.click(within(region).getByRole('button', { name: 'Snooze for 1 hour' }));
  const [imbalance] = filling().imbalance;
  expect(bridge.calls.at(-1)).toEqual({
    name: 'alerts.snooze',
    argument: { id: imbalance === undefined ? '' : unevenAlertId(imbalance), seconds: 3600 },
  });
  expect(screen.queryByRole('region', { name: 'Uneven use of the cards' })).toBeNull();
  bridge.push({ ...filling(), time: noon + 3601 });
  await settle();
  expect(screen.getByRole('region', { name: 'Uneven use of the cards' })).toBeTruthy();
});

test('a stale job says why, and what speaks against it; the row closes with its job', async () => {
  const user = userEvent.setup();
  const { container } = await renderApp(leftovers());
  const signs = () => textsIn(screen.getByRole('treegrid'), '[data-sign]');
  expect(signs()).toEqual([
    'Its launcher (pid 880) ended 2 hr ago.',
    'Nobody listens on its rendezvous port 29500 any more.',
    'It belongs to bob.',
  ]);
  expect(textOf(screen.getByText('Against it:').closest('tr'))).toContain('Why: Its launcher');
  await expectAccessible(container);
  jobRow(/^old_run\.py/).focus();
  await user.keyboard('{ArrowRight}{ArrowRight}');
  expect(document.activeElement?.textContent).toContain('Its launcher');
  await user.keyboard('{ArrowLeft}{ArrowLeft}');
  expect(signs()).toEqual([]);
});

const hot: Alert = {
  id: 'hot/GPU-0',
  rule: 'hot',
  severity: 'warning',
  gpuIndex: 0,
  jobId: null,
  jobTitle: null,
  text: message('alerts.hot', { card: 0, celsius: 91 }),
  since: noon - 120,
};

test('an alert can be shown and snoozed, and those before tell what happened after', async () => {
  const user = userEvent.setup();
  const died: Alert = {
    ...hot,
    id: 'died-on-full-card/7/0',
    rule: 'died-on-full-card',
    severity: 'critical',
    text: message('alerts.diedOnFullCard', { job: 'train.py', card: 0, used: 23 * GiB, total: 24 * GiB }),
    since: noon - 900,
  };
  const { bridge, state, container } = await renderApp(
    { ...twoCards(), alerts: [hot] },
    {
      prepare: (fake) => {
        fake.alerts = {
          history: [
            { alert: hot, endedAt: null, outcome: null },
            { alert: died, endedAt: noon - 300, outcome: 'expired' },
            { alert: { ...hot, since: noon - 4000 }, endedAt: noon - 3700, outcome: 'eased' },
            { alert: { ...hot, since: noon - 9000 }, endedAt: noon - 8940, outcome: 'job-ended' },
          ],
          snoozedUntil: {},
          oomExits: [],
        };
      },
    },
  );
  await user.click(screen.getByRole('button', { name: '1 alert' }));
  const dialog = screen.getByRole('dialog', { name: 'Alerts' });
  expect(textsIn(within(dialog).getByRole('list', { name: 'Before' }), 'li p:last-child')).toEqual([
    expect.stringMatching(/^\d\d:\d\d:\d\d · happened once$/),
    expect.stringMatching(/ · over after 5 min$/),
    expect.stringMatching(/ · the job ended after 60 sec$/),
  ]);
  await expectAccessible(container);

  await user.click(within(dialog).getByRole('button', { name: 'Snooze for 1 hour' }));
  expect(bridge.calls.at(-1)?.argument).toEqual({ id: 'hot/GPU-0', seconds: 3600 });
  await user.click(within(dialog).getByRole('button', { name: 'Announce again' }));
  expect(bridge.calls.at(-1)?.argument).toEqual({ id: 'hot/GPU-0', seconds: 0 });
  await user.click(within(dialog).getByRole('button', { name: 'Snooze all for 1 hour' }));
  expect(within(dialog).getByText(/^Nothing is announced until \d\d:\d\d:\d\d\.$/)).toBeTruthy();

  await user.click(within(dialog).getByRole('button', { name: 'Show' }));
  expect(screen.queryByRole('dialog')).toBeNull();
  expect([state.route.place, state.workstation.chosenCard]).toEqual(['workstation', 0]);
});

test('what is urgent stands above the cards with what to do about it, the most urgent first', async () => {
  const user = userEvent.setup();
  const stale: Alert = {
    ...hot,
    id: 'stale-job/900-1',
    rule: 'stale-job',
    jobId: '900-1',
    jobTitle: 'old_run.py',
    text: message('alerts.staleJob', { job: 'old_run.py', held: 22 * GiB }),
  };
  const died: Alert = {
    ...hot,
    id: 'died-on-full-card/7/0',
    rule: 'died-on-full-card',
    severity: 'critical',
    jobId: '7-1',
    jobTitle: 'train.py',
    text: message('alerts.diedOnFullCard', { job: 'train.py', card: 0, used: 23 * GiB, total: 24 * GiB }),
  };
  const { bridge, state, container } = await renderApp({ ...leftovers(), alerts: [hot, stale, died] });
  const urgent = () => screen.getByRole('region', { name: 'Urgent' });
  expect(textsIn(urgent(), '.title')).toEqual([
    'train.py ended while card 0 was full (23.0 GiB of 24.0 GiB): likely out of memory.',
    'old_run.py is stale and holds 22.0 GiB.',
  ]);
  await expectAccessible(container);

  await user.click(within(urgent()).getByRole('button', { name: 'Free 22.0 GiB' }));
  expect(bridge.calls.find(({ name }) => name === 'jobs.free')?.argument).toMatchObject({ jobId: '900-1' });
  await user.click(within(urgent()).getByRole('button', { name: 'Open in the Doctor' }));
  expect(state.route.place).toBe('doctor');
  state.route.go('workstation');
  await settle();
  const [snooze] = within(urgent()).getAllByRole('button', { name: 'Snooze for 1 hour' });
  if (snooze !== undefined) await user.click(snooze);
  expect(bridge.calls.at(-1)?.argument).toEqual({ id: 'died-on-full-card/7/0', seconds: 3600 });
});

test('a script that died several times on a card is told once, with how often, and snoozed as a whole', async () => {
  const user = userEvent.setup();
  const died = (pid: number, since: number, job = 'train.py'): Alert => ({
    ...hot,
    id: `died-on-full-card/${pid}/0`,
    rule: 'died-on-full-card',
    severity: 'critical',
    jobId: `${pid}-1`,
    jobTitle: job,
    since,
    text: message('alerts.diedOnFullCard', { job, card: 0, used: 23 * GiB, total: 24 * GiB }),
  });
  const alerts = [died(7, hot.since), died(9, hot.since + 2), died(8, hot.since + 1), died(6, 1, 'eval.py')];
  const { bridge } = await renderApp({ ...leftovers(), alerts });
  const urgent = screen.getByRole('region', { name: 'Urgent' });
  expect(textsIn(urgent, '.body')).toEqual([
    'train.py ended while card 0 was full (23.0 GiB of 24.0 GiB): likely out of memory. It ended like this 2 times before; the alerts list them.',
    'eval.py ended while card 0 was full (23.0 GiB of 24.0 GiB): likely out of memory.',
  ]);
  const [snooze] = within(urgent).getAllByRole('button', { name: 'Snooze for 1 hour' });
  if (snooze !== undefined) await user.click(snooze);
  expect(bridge.calls.flatMap(({ argument, name }) => (name === 'alerts.snooze' ? [argument] : []))).toEqual(
    [9, 8, 7].map((pid) => ({ id: `died-on-full-card/${pid}/0`, seconds: 3600 })),
  );
});

test('rules, levels and cards are switched in Settings', async () => {
  const user = userEvent.setup();
  const { bridge, state, container } = await renderApp(twoCards());
  state.route.go('settings');
  await settle();
  const lastArgument = () => bridge.calls.at(-1)?.argument;
  await user.click(screen.getByRole('switch', { name: 'Stale job holds memory' }));
  expect(lastArgument()).toEqual({ rules: { 'stale-job': false } });
  await user.click(screen.getByRole('switch', { name: 'Card 1, RTX 3090' }));
  expect(lastArgument()).toEqual({ mutedCards: ['GPU-1'] });
  await user.click(screen.getByRole('switch', { name: 'Card 1, RTX 3090' }));
  expect(lastArgument()).toEqual({ mutedCards: [] });

  const level = screen.getByRole<HTMLInputElement>('spinbutton', { name: 'A card is nearly full from' });
  await user.clear(level);
  await user.type(level, '90');
  await user.tab();
  expect(lastArgument()).toEqual({ thresholds: { nearlyFullPercent: 90 } });
  expect(level.value).toBe('90');
  await user.clear(level);
  await user.type(level, '900');
  await user.tab();
  expect(lastArgument()).toEqual({ thresholds: { nearlyFullPercent: 90 } });
  expect(level.value).toBe('90');
  await user.click(screen.getByRole('switch', { name: 'Start when I log in' }));
  expect(lastArgument()).toEqual({ startAtLogin: true });
  await expectAccessible(container);
});

test('Settings say where the desktop shows no tray, and offer only what the system can', async () => {
  const { state, bridge } = await renderApp(twoCards(), {
    prepare: (fake) => {
      fake.desktop = { trayHost: 'unknown', notifications: true, startAtLogin: false };
    },
  });
  state.route.go('settings');
  await settle();
  expect(screen.queryByRole('switch', { name: 'Start when I log in' })).toBeNull();
  bridge.emit('desktop', { trayHost: 'absent', notifications: true, startAtLogin: false });
  await settle();
  expect(screen.getByText(/^This desktop shows no tray/)).toBeTruthy();
});
