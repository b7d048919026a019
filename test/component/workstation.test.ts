import { screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { GiB, MiB } from '../../shared/units';
import { cardFigures, cardRow, jobRow, textOf, textsIn } from './support/queries';
import { expectAccessible, renderApp } from './support/renderApp';
import {
  cardLost,
  driverMismatch,
  eightCards,
  longNames,
  migCard,
  scenes,
  sixteenCards,
  smiHangs,
  twoCards,
  unknownValues,
} from './support/scenes';
import { card, job, member, noon, snapshot } from './support/snapshots';

test('two cards: bands with figures, legend and readings', async () => {
  const { container } = await renderApp(twoCards());

  expect(screen.getByRole('heading', { level: 1 }).textContent).toBe('rig-01');
  expect(textsIn(container, 'header li')).toEqual(['2 × RTX 3090', 'driver 580.159', 'CUDA 13.0']);
  expect(cardFigures(0)).toEqual(['23.1 / 24.0 GiB', '98 % 1,695 MHz', '71 °C 62 %', '338 / 350 W']);
  expect(cardFigures(1)).toEqual(['<0.1 / 24.0 GiB', '0 % 210 MHz', '34 °C 30 %', '21 / 350 W']);
  expect(textOf(cardRow(0).querySelector('th'))).toBe('0 RTX 3090 cuda:0');
  expect(
    within(cardRow(0))
      .getByRole('img', { name: /^Card 0/ })
      .getAttribute('aria-label'),
  ).toBe('Card 0: 23.1 of 24.0 GiB used; Xorg 512 MiB; train.py 22.6 GiB; driver 410 MiB');
  expect([...cardRow(0).querySelectorAll('.under ul:first-of-type li')].map(textOf)).toEqual([
    'train.py 22.6 GiB',
    'Xorg 512 MiB',
    'driver 410 MiB',
  ]);
  expect(textOf(cardRow(0))).toContain('Clocks held down: power limit reached');
  await expectAccessible(container);
});

test('the bar is drawn to scale, with the reserve at its end', async () => {
  const { container } = await renderApp(twoCards());
  const parts = [...cardRow(0).querySelectorAll<HTMLElement>('.part')];
  expect(parts.map((part) => [part.title, part.className.split(' ')[1]])).toEqual([
    ['Xorg', 'desktop'],
    ['train.py', 'colour'],
  ]);
  expect(parts.map((part) => Number.parseFloat(part.style.inlineSize).toFixed(1))).toEqual(['2.1', '94.2']);
  const reserve = cardRow(0).querySelector<HTMLElement>('.reserved');
  expect(Number.parseFloat(reserve?.style.inlineSize ?? '').toFixed(2)).toBe('1.67');
  expect(container.querySelector('[style]:not(.part, .track, .reserved, canvas)')).toBeNull();
});

test('cards of different size share one scale', async () => {
  await renderApp(
    snapshot({ cards: [card(0, { memoryTotalBytes: 48 * GiB }), card(1, { memoryTotalBytes: 12 * GiB })] }),
  );
  const width = (index: number) => cardRow(index).querySelector<HTMLElement>('.track')?.style.inlineSize;
  expect([width(0), width(1)]).toEqual(['100%', '25%']);
});

test('eight cards: one line each; a chosen card opens its large chart', async () => {
  const { container } = await renderApp(eightCards());

  expect(container.querySelectorAll('tr.line')).toHaveLength(8);
  expect(cardFigures(7)).toEqual(['68.8 / 79.6 GiB', '90 %', '67 °C', '661 / 700 W']);
  expect(cardRow(0).querySelector('svg .area')?.getAttribute('d')).toMatch(/^M[\d.]+ 20L/);
  expect(screen.queryByRole('heading', { name: 'Memory history' })).toBeNull();
  expect(
    screen.getByRole('img', { name: 'Warning: Clocks held down: too hot (hardware limit)' }),
  ).toBeTruthy();

  const button = screen.getByRole('button', { name: /Show the memory chart of card 7$/ });
  button.click();
  await expect.poll(() => screen.queryByRole('heading', { name: 'Card 7, H100 80GB HBM3' })).not.toBeNull();
  expect(button.getAttribute('aria-pressed')).toBe('true');
  expect(screen.getByRole('img', { name: /^Memory of card 7 over 5 min: 68\.8 GiB now/ })).toBeTruthy();
  await expectAccessible(container);

  button.click();
  await expect.poll(() => screen.queryByRole('heading', { name: 'Memory history' })).toBeNull();
});

test('arrows move between the cards that can be chosen', async () => {
  const user = userEvent.setup();
  await renderApp(eightCards());
  const button = (index: number) =>
    screen.getByRole('button', { name: new RegExp(`Show the memory chart of card ${index}$`) });
  button(0).focus();
  await user.keyboard('{ArrowDown}{ArrowDown}{ArrowUp}');
  expect(document.activeElement).toBe(button(1));
  await user.keyboard('{Enter}');
  expect(button(1).getAttribute('aria-pressed')).toBe('true');
  expect(screen.getByRole('heading', { name: 'Card 1, H100 80GB HBM3' })).toBeTruthy();
});

test('another user’s memory is hatched and named as theirs', async () => {
  await renderApp(eightCards());
  const part = cardRow(7).querySelector<HTMLElement>('.part.other');
  expect(part?.title).toBe('grace’s python');
});

test('sixteen cards: two columns, the common name told once', async () => {
  const { container } = await renderApp(sixteenCards());
  expect(container.querySelectorAll('section.two table')).toHaveLength(2);
  expect(textOf(container.querySelector('header .facts'))).toContain('16 × A100-SXM4-40GB');
  expect(textOf(cardRow(15).querySelector('th .card'))).toBe('15 cuda:15');
  expect(cardFigures(15)).toEqual(['17.2 / 40.0 GiB', '0 %', '34 °C', '21 W']);
  expect(cardRow(15).getAttribute('title')).toMatch(/^Clock .* MHz · fan .* · power 21 \/ \d+ W$/);
  expect(textsIn(jobRow(/^old_run\.py/))).toEqual([
    'old_run.py torchrun · 8 of 9 ranks',
    '8–15',
    '136.0',
    '16.0',
    '808 %',
    'ada',
    '40 sec',
    'stale Free 136.0 GiB',
  ]);
  await expectAccessible(container);
});

test('sixteen cards in a narrow window: one column', async () => {
  const { container } = await renderApp(sixteenCards(), { viewport: { narrow: true } });
  expect(container.querySelectorAll('table:has([data-gpu])')).toHaveLength(1);
});

test('MIG: each slice has its own bar, split by the job inside; utilisation is unknown, not 0', async () => {
  const { container } = await renderApp(migCard());
  const slices = [...cardRow(0).querySelectorAll<HTMLElement>('ul[aria-label="MIG: 3 instances"] > li')];
  expect(slices.map(textOf)).toEqual([
    'MIG 1/0 · 3g.71gb 61.0 / 69.8 GiB serve.py 60.5 GiB not attributed 512 MiB',
    'MIG 5/0 · 1g.18gb 1.2 / 16.4 GiB probe.py 1.1 GiB not attributed 102 MiB',
    'MIG 6/0 · 1g.18gb 0.0 / 16.4 GiB',
  ]);
  expect(slices[1]?.querySelector<HTMLElement>('.part.colour')?.title).toBe('probe.py');
  expect(cardFigures(0)[1]).toBe('–unknown 210 MHz');
  await expectAccessible(container);
});

test('unknown values are said to be unknown, never 0', async () => {
  const { container } = await renderApp(unknownValues());
  expect(cardFigures(0)).toEqual(['–unknown', '–unknown –unknown', '–unknown –unknown', '–unknown']);
  expect(within(cardRow(0)).getByRole('img').getAttribute('aria-label')).toBe('Card 0: Memory use unknown');
  expect(textsIn(jobRow(/^python/))).toEqual([
    'python 1 process',
    '0',
    '–unknown',
    '–unknown',
    '–unknown',
    'owner unknown',
    '–unknown',
    'running',
  ]);
  expect(textOf(container)).not.toMatch(/(^|\s)0(\.0)? (GiB|MiB|%|W|°C)/);
  expect(screen.getByText('No readings in this range yet')).toBeTruthy();
  await expectAccessible(container);
});

test('a total that is not known does not hide what is used', async () => {
  await renderApp(snapshot({ cards: [card(0, { memoryTotalBytes: 0, memoryUsedBytes: 900 * MiB })] }));
  expect(cardFigures(0)[0]).toBe('900 / unknown MiB');
  expect(within(cardRow(0)).getByRole('img').getAttribute('aria-label')).toBe(
    'Card 0: 900 MiB used, total unknown',
  );
});

test('names of any length stay readable in full', async () => {
  const { container } = await renderApp(longNames());
  const title = longNames().jobs[0]?.title ?? '';
  expect(screen.getAllByTitle(title).length).toBeGreaterThan(0);
  expect(textOf(cardRow(0))).toContain('1 more');
  await expectAccessible(container);
});

test('driver mismatch: what it means and what to do, in the place of the cards', async () => {
  const { container } = await renderApp(driverMismatch());
  expect(
    screen.getByRole('heading', {
      name: 'The NVIDIA driver was updated to 580.178, but the kernel still runs the old module.',
    }),
  ).toBeTruthy();
  expect(screen.getByText(/^Reboot, or unload and load the nvidia kernel modules/)).toBeTruthy();
  expect(screen.getByText('Jobs cannot be seen while the cards cannot be read.')).toBeTruthy();
  expect(container.querySelector('[data-gpu]')).toBeNull();
  expect(screen.getByText('41.2 / 64.0 GiB')).toBeTruthy();
  await expectAccessible(container);
});

test('a lost card keeps its row, with the trouble and the remedy in it', async () => {
  const { container } = await renderApp(cardLost());
  expect(textOf(cardRow(1))).toContain(
    'Card 1 has fallen off the bus and no longer answers. Save what you can',
  );
  expect(container.querySelector('[role="alert"]')).toBeNull();
  await expectAccessible(container);
});

test('nvidia-smi hangs: the standing picture is told to be old', async () => {
  const { container } = await renderApp(smiHangs());
  expect(screen.getByText('Cards last read 42 sec ago')).toBeTruthy();
  expect(cardFigures(0)[0]).toBe('23.1 / 24.0 GiB');
  await expectAccessible(container);
});

test('idle cards and no jobs', async () => {
  const { container } = await renderApp(scenes.empty());
  expect(screen.getByText('No process holds memory on a card.')).toBeTruthy();
  await expectAccessible(container);
});

test('nothing is said for 300 ms, then what is waited for', async () => {
  const { container } = await renderApp(null);
  expect(screen.queryByText('Waiting for the first reading')).toBeNull();
  await expect.poll(() => screen.queryByText('Waiting for the first reading')).not.toBeNull();
  await expectAccessible(container);
});

test('a main that does not answer is said, and asked again', async () => {
  const { bridge, container } = await renderApp(null, {
    prepare: (fake) => {
      fake.answers['snapshot.current'] = () => ({
        ok: false,
        code: 'failed',
        message: { key: 'desktop.callFailed', values: { name: 'snapshot.current' } },
      });
    },
  });
  expect(screen.getByText('The app did not answer')).toBeTruthy();
  await expectAccessible(container);
  bridge.answers['snapshot.current'] = () => ({ ok: true, value: twoCards() });
  screen.getByRole('button', { name: 'Try again' }).click();
  await expect.poll(() => document.querySelectorAll('[data-gpu]').length).toBe(2);
});

test('in a small window the host moves under a tab', async () => {
  const { container } = await renderApp(twoCards(), { viewport: { narrow: true, low: true } });
  expect(screen.queryByText('41.2 / 64.0 GiB')).toBeNull();
  screen.getByRole('tab', { name: 'Host' }).click();
  await expect.poll(() => screen.queryByText('41.2 / 64.0 GiB')).not.toBeNull();
  expect(screen.queryByRole('treegrid')).toBeNull();
  expect(screen.getByRole('cell', { name: 'gnome-shell' })).toBeTruthy();
  await expectAccessible(container);
});

test('the charts of four cards are under a tab in a small window, those of two are not', async () => {
  const user = userEvent.setup();
  const four = { ...twoCards(), cards: [0, 1, 2, 3].map((index) => card(index)) };
  const { container } = await renderApp(four, { viewport: { narrow: true, low: true } });
  expect(screen.queryAllByText(/^Card \d, /)).toEqual([]);
  await user.click(screen.getByRole('tab', { name: 'Memory history' }));
  expect(screen.getAllByText(/^Card \d, /).map(textOf)).toEqual(
    [0, 1, 2, 3].map((index) => `Card ${index}, RTX 3090`),
  );
  await expectAccessible(container);
});

test('Chinese: every text of the view', async () => {
  const { container } = await renderApp(twoCards(), { settings: { language: 'zh-CN' } });
  expect(document.documentElement.lang).toBe('zh-CN');
  expect(screen.getByRole('heading', { name: '显存历史' })).toBeTruthy();
  expect(textsIn(container, 'header li')).toEqual(['2 × RTX 3090', '驱动 580.159', 'CUDA 13.0']);
  expect(textOf(cardRow(0))).toContain('频率受限：达到功耗上限');
  expect(textsIn(jobRow(/^train\.py/))).toEqual([
    'train.py 1 个进程',
    '0',
    '22.6',
    '8.4',
    '101 %',
    'ada',
    '40 秒',
    '运行中',
  ]);
  expect(
    within(cardRow(0))
      .getByRole('img', { name: /^0 号卡/ })
      .getAttribute('aria-label'),
  ).toBe('0 号卡: 已用 23.1 / 24.0 GiB; Xorg 512 MiB; train.py 22.6 GiB; 驱动 410 MiB');
  await expectAccessible(container);
});

test('a column of sizes has one unit, and little never looks like none', async () => {
  await renderApp(
    snapshot({
      cards: [card(0)],
      jobs: [
        job('1', [member(1, [[0, 3 * GiB]])], { title: 'big.py' }),
        job('2', [member(2, [[0, 20 * MiB]])], { title: 'small.py', startedAt: noon - 200_000 }),
      ],
    }),
  );
  expect(textsIn(jobRow(/^big/)).slice(2, 4)).toEqual(['3.0', '2.0']);
  expect(textsIn(jobRow(/^small/)).slice(2, 7)).toEqual(['<0.1', '2.0', '101 %', 'ada', '2 days']);
  expect(screen.getByRole('columnheader', { name: 'Memory (GiB)' })).toBeTruthy();
});
