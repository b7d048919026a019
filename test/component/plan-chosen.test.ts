import { screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { cursorAfterKey } from '../../renderer/plan/chosen/cursorKeys';
import { byteTicks, stepTop } from '../../renderer/plan/chosen/stepScale';
import { phaseSpans } from '../../shared/memory/view/course';
import { formatBytes, formatBytesIn, GiB, MiB } from '../../shared/units';
import { lookedAt, renderChosen, type LookedAt } from './support/chosenPlans';
import { expectAccessible } from './support/renderApp';
import { textOf, textsIn } from './support/queries';

const wishes = { strategy: 'ddp', checkpointing: 'none', world: 2, microBatch: 2, accumulation: 4 };
const kept = lookedAt(wishes);
const master = lookedAt({ ...wishes, strategy: 'dp', accumulation: 1 });

const cardOf = ({ detail }: LookedAt, rank = 0) => {
  const card = detail.cards[rank];
  if (card === undefined) throw new Error(`no rank ${rank}`);
  return card;
};
const rowsOf = (table: HTMLElement) =>
  [...table.querySelectorAll('tr')].map((row) => textsIn(row, ':scope > th, :scope > td'));

describe('the step of a plan', () => {
  it('names its peak, with the raw name beside it, and why it is there', async () => {
    const { container } = await renderChosen(kept);
    const section = screen.getByRole('region', { name: 'One training step' });
    expect(textOf(section)).toContain(formatBytes(cardOf(kept).processBytes, 'en'));
    expect(textOf(section)).toContain('Peak: logits of the loss, backward loss');
    expect(textOf(section)).toContain('the gradient of the logits is made beside the logits');
    expect(textOf(section)).toContain(
      'The first two and the last of 4 micro-batches are shown, the last as number 3',
    );
    await expectAccessible(container);
  });

  it('has a legend whose parts add up to what the process holds', async () => {
    await renderChosen(kept);
    const card = cardOf(kept);
    const table = screen.getByRole('table', { name: /^Memory by kind/ });
    const rows = rowsOf(table);
    const sizes = [
      card.reservedPeakBytes - card.allocatedPeakBytes,
      ...(
        ['workspace', 'logits', 'activations', 'gradients', 'buffers', 'optimizer', 'parameters'] as const
      ).map((kind) => card.peak.byKind[kind]),
      card.contextBytes,
      card.processBytes,
    ];
    expect(rows.slice(1).map(([name]) => name)).toEqual([
      'reserved, not in use',
      'workspaces',
      'logits and loss',
      'activations',
      'gradients',
      'buffers',
      'optimizer',
      'parameters',
      'CUDA itself',
      'the process on the card',
    ]);
    expect(rows.slice(1).map(([, bytes]) => bytes)).toEqual(
      sizes.map((bytes) => formatBytesIn(bytes, 'GiB', 'en')),
    );
    expect(sizes.slice(0, -1).reduce((a, b) => a + b, 0)).toBe(card.processBytes);
  });

  it('is walked through by keys, and each point is read in words', async () => {
    await renderChosen(kept);
    const user = userEvent.setup();
    const { timeline, contextBytes } = cardOf(kept);
    const slider = screen.getByRole('slider', { name: 'Point of the step, each of cards 0, 1' });
    slider.focus();
    await user.keyboard('{Home}');
    expect(slider.getAttribute('aria-valuenow')).toBe('0');
    await user.keyboard('{ArrowRight}{ArrowRight}{ArrowLeft}');
    expect(slider.getAttribute('aria-valuenow')).toBe('1');
    await user.keyboard('{End}');
    expect(slider.getAttribute('aria-valuenow')).toBe(String(timeline.length - 1));
    const lastBytes = (timeline[timeline.length - 1]?.allocatedBytes ?? 0) + contextBytes;
    expect(slider.getAttribute('aria-valuetext')).toContain(formatBytes(lastBytes, 'en'));
    await user.keyboard('{Enter}');
    expect(slider.getAttribute('aria-valuetext')).toMatch(/^logits of the loss, backward: .*parameters/);
    const legend = screen.getByRole('table', { name: /^Memory by kind/ });
    const logits = rowsOf(legend).find(([name]) => name === 'logits and loss');
    expect(logits?.[1]).toBe(logits?.[2]);
    await user.keyboard('{Escape}');
    expect(rowsOf(legend).find(([name]) => name === 'logits and loss')?.[2]).toBe('');
  });

  it('is told as a table of its phases on demand', async () => {
    const { container } = await renderChosen(kept);
    await userEvent.setup().click(screen.getByText('The phases as a table'));
    const table = within(screen.getByRole('region', { name: /^Memory of each phase/ })).getByRole('table');
    const card = cardOf(kept);
    const spans = phaseSpans(card.timeline);
    const inProcess = (bytes: number) => formatBytesIn(bytes + card.contextBytes, 'GiB', 'en');
    const rounds = [1, 2, 3].flatMap((round) => [`forward ${round}`, `backward ${round}`]);
    const phases = [...rounds, 'optimizer', 'zero_grad'];
    expect(
      rowsOf(table)
        .slice(1)
        .map((row) => row.slice(0, 4)),
    ).toEqual(
      spans.map(({ endBytes, peakBytes, startBytes }, index) => [
        phases[index],
        inProcess(startBytes),
        inProcess(peakBytes),
        inProcess(endBytes),
      ]),
    );
    await expectAccessible(container);
  });

  it('differs between the cards of DataParallel, which can be chosen', async () => {
    await renderChosen(master);
    const section = screen.getByRole('region', { name: 'One training step' });
    expect(textOf(section)).toContain(formatBytes(cardOf(master, 0).processBytes, 'en'));
    await userEvent.setup().click(screen.getByRole('radio', { name: 'card 1' }));
    expect(textOf(section)).toContain(formatBytes(cardOf(master, 1).processBytes, 'en'));
    expect(cardOf(master, 1).processBytes).toBeLessThan(cardOf(master, 0).processBytes);
  });

  it('shows the peak before the step is played, and no point to look at', async () => {
    const { change } = await renderChosen(kept, { detail: null });
    expect(screen.getByText('Peak: logits of the loss, backward')).toBeTruthy();
    expect(screen.queryByRole('slider')).toBeNull();
    await change({ detail: kept.detail });
    expect(screen.getByRole('slider')).toBeTruthy();
  });

  it('speaks Chinese', async () => {
    const { container } = await renderChosen(kept, {}, 'zh-CN');
    expect(screen.getByText('峰值：反向，损失的 logits')).toBeTruthy();
    expect(textOf(container)).not.toMatch(/Memory|Peak|micro-batch/);
  });
});

describe('single changes', () => {
  it('are told by what they cost, and can be tried', async () => {
    const onchange = vi.fn();
    const { container } = await renderChosen(kept, { part: 'changes', onchange });
    const table = screen.getByRole('table', { name: 'Single changes to this plan' });
    const names = rowsOf(table).map(([name]) => name);
    expect(names.indexOf('Costs time')).toBeLessThan(names.indexOf('Changes what is trained'));
    const row = within(table).getByRole('row', { name: /Recompute activations in backward/ });
    const change = kept.detail.changes.find(({ kind }) => kind === 'checkpointing');
    expect(textsIn(row, 'td.number')[0]).toBe(`−${formatBytesIn(change?.savedBytes ?? 0, 'GiB', 'en')}`);
    await userEvent
      .setup()
      .click(screen.getByRole('button', { name: 'Try it: Recompute activations in backward' }));
    expect(onchange.mock.calls).toEqual([[change]]);
    await expectAccessible(container);
  });

  it('say so while they are worked out', async () => {
    await renderChosen(kept, { part: 'changes', detail: { ...kept.detail, changes: [] } });
    expect(screen.getByText('Single changes are being worked out.')).toBeTruthy();
  });
});

describe('the scale and the keys of a step', () => {
  it('ends at the card where it is near, and above the process where it is far', () => {
    expect(stepTop({ processBytes: 10 * GiB, cardBytes: 20 * GiB })).toBeCloseTo(22 * GiB, -3);
    expect(stepTop({ processBytes: 1 * GiB, cardBytes: 140 * GiB })).toBeCloseTo(1.1 * GiB, -3);
    expect(stepTop({ processBytes: 1 * GiB, cardBytes: null })).toBeCloseTo(1.1 * GiB, -3);
  });

  it('has round ticks', () => {
    expect(byteTicks(24 * GiB).map((bytes) => bytes / GiB)).toEqual([0, 5, 10, 15, 20]);
    expect(byteTicks(900 * MiB).map((bytes) => bytes / MiB)).toEqual([0, 200, 400, 600, 800]);
    expect(byteTicks(1.1 * GiB).map((bytes) => bytes / GiB)).toEqual([0, 0.5, 1]);
  });

  it('leads from peak to peak of the phases', () => {
    const spans = phaseSpans(cardOf(kept).timeline);
    const course = { last: 100, peakIndex: 40, spans };
    const peaks = spans.map(({ peakIndex }) => peakIndex);
    expect(cursorAfterKey('ArrowUp', -1, course)).toBe(peaks[0]);
    expect(cursorAfterKey('ArrowUp', peaks[0] ?? 0, course)).toBe(peaks[1]);
    expect(cursorAfterKey('ArrowDown', peaks[1] ?? 0, course)).toBe(peaks[0]);
    expect(cursorAfterKey('PageUp', 95, course)).toBe(100);
    expect(cursorAfterKey('PageDown', 4, course)).toBe(0);
    expect(cursorAfterKey('x', 4, course)).toBeUndefined();
  });
});
