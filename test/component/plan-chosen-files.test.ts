import { screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { describe, expect, it, vi } from 'vitest';
import { message } from '../../shared/i18n/message';
import { formatBytes, formatBytesIn } from '../../shared/units';
import { lookedAt, renderChosen } from './support/chosenPlans';
import { expectAccessible } from './support/renderApp';
import { textOf, textsIn } from './support/queries';

const wishes = { strategy: 'ddp', checkpointing: 'none', world: 2, microBatch: 2, accumulation: 1 };
const kept = lookedAt({ ...wishes, expandableSegments: true });
const sharded = lookedAt({
  ...wishes,
  expandableSegments: true,
  strategy: 'fsdp-full',
  checkpointing: 'full',
});

const rowOf = (table: HTMLElement, name: RegExp) => {
  const row = within(table).getByRole('row', { name });
  return textsIn(row, ':scope > th, :scope > td');
};

describe('the files of a plan', () => {
  it('begin with the command, and show each file with its lines', async () => {
    const { container } = await renderChosen(kept, { part: 'files' });
    const section = screen.getByRole('region', { name: 'Files' });
    expect(textOf(section)).toContain('bash launch.sh');
    expect(textOf(section)).toContain('torchrun --standalone --nproc-per-node=2 train.py');
    const tabs = screen.getAllByRole('tab').map((tab) => textOf(tab));
    expect(tabs).toEqual(kept.files?.map(({ name }) => name));
    const lines = within(screen.getByRole('region', { name: 'train.py' })).getAllByRole('listitem');
    expect(textOf(lines[0] ?? null)).toMatch(/^1 """Trains small as Headroom planned it/);
    await userEvent.setup().click(screen.getByRole('tab', { name: 'requirements.txt' }));
    expect(textOf(screen.getByRole('region', { name: 'requirements.txt' }))).toContain('torch==2.11.0');
    await expectAccessible(container);
  });

  it('point at the memory setting that the plan counts on', async () => {
    await renderChosen(kept, { part: 'files' });
    const user = userEvent.setup();
    await user.click(screen.getByRole('tab', { name: 'README.md' }));
    expect(screen.getByText('PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True')).toBeTruthy();
    await user.click(screen.getByRole('button', { name: 'Show the line' }));
    const marked = screen.getByRole('region', { name: 'train.py' }).querySelector('li.chosen');
    expect(textOf(marked)).toContain('os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF"');
  });

  it('are copied one by one', async () => {
    await renderChosen(kept, { part: 'files' });
    const user = userEvent.setup();
    const written = vi.spyOn(navigator.clipboard, 'writeText');
    await user.click(screen.getByRole('button', { name: 'Copy the command' }));
    await user.click(screen.getByRole('tab', { name: 'launch.sh' }));
    await user.click(screen.getByRole('button', { name: 'Copy launch.sh' }));
    expect(written.mock.calls).toEqual([
      ['bash launch.sh'],
      [kept.files?.find(({ name }) => name === 'launch.sh')?.text],
    ]);
  });

  it('are saved, and say how it went', async () => {
    const onsave = vi.fn();
    const { change } = await renderChosen(kept, { part: 'files', onsave });
    const user = userEvent.setup();
    const count = kept.files?.length ?? 0;
    const button = screen.getByRole('button', { name: `Save ${count} files to a folder` });
    await user.click(button);
    expect(onsave).toHaveBeenCalledOnce();
    await change({ saving: { kind: 'saving' } });
    expect(button.hasAttribute('disabled')).toBe(true);
    await change({ saving: { kind: 'saved', folder: 'small', names: ['train.py', 'launch.sh'] } });
    expect(screen.getByText('Saved in small: 2 files.')).toBeTruthy();
    await change({ saving: { kind: 'failed', why: message('plan.planFailed') } });
    expect(textOf(screen.getByRole('alert'))).toContain('The plans could not be worked out');
  });

  it('are not saved in read-only mode', async () => {
    await renderChosen(kept, { part: 'files' }, 'en', true);
    const button = screen.getByRole('button', { name: /^Save \d+ files to a folder$/ });
    expect(button.hasAttribute('disabled')).toBe(true);
    expect(button.title).toBe('Headroom is in read-only mode. Switch that off in Settings to do this.');
  });

  it('are refused with the reason', async () => {
    const why = message('strategy.launchCheckpointing');
    const { container } = await renderChosen(kept, {
      part: 'files',
      files: null,
      saving: { kind: 'refused', why },
    });
    expect(textOf(screen.getByRole('alert'))).toContain('There are no files for this plan');
    expect(screen.queryByRole('button', { name: /^Save/ })).toBeNull();
    await expectAccessible(container);
  });
});

describe('two plans side by side', () => {
  it('tell what is set differently, and fold what is alike', async () => {
    const { container } = await renderChosen(kept, { part: 'compare', other: sharded });
    const table = screen.getByRole('table', { name: 'Settings that differ' });
    expect(rowOf(table, /^Strategy/).slice(1)).toEqual(['DDP, full copies', 'FSDP, full shards']);
    expect(rowOf(table, /^Activations/).slice(1)).toEqual(['activations kept', 'activations recomputed']);
    expect(within(table).queryByRole('row', { name: /^Precision/ })).toBeNull();
    expect(screen.getByText('10 settings are the same')).toBeTruthy();
    await expectAccessible(container);
  });

  it('show each part of both peaks and the difference', async () => {
    await renderChosen(kept, { part: 'compare', other: sharded });
    const table = screen.getByRole('table', { name: 'Parts of the peak on the tightest card' });
    const [one, other] = [kept, sharded].map(({ plan }) => plan.cards[0]?.processBytes ?? 0);
    const difference = (other ?? 0) - (one ?? 0);
    const texts = rowOf(table, /^the process on the card/).filter((text) => text !== '');
    expect(texts).toEqual([
      'the process on the card',
      formatBytesIn(one ?? 0, 'GiB', 'en'),
      formatBytesIn(other ?? 0, 'GiB', 'en'),
      `${difference > 0 ? '+' : '−'}${formatBytesIn(Math.abs(difference), 'GiB', 'en')}`,
    ]);
  });

  it('draw both steps, each with its own cursor and on one scale', async () => {
    await renderChosen(kept, { part: 'compare', other: sharded });
    expect(screen.getAllByRole('slider').map((slider) => slider.getAttribute('aria-label'))).toEqual([
      `Point of the step, Plan ${kept.plan.rank}, each of cards 0, 1`,
      `Point of the step, Plan ${sharded.plan.rank}, each of cards 0, 1`,
    ]);
    for (const { plan } of [kept, sharded])
      expect(
        screen.getByText(formatBytes(plan.cards[0]?.processBytes ?? 0, 'en'), { selector: 'strong' }),
      ).toBeTruthy();
    const ends = [...document.querySelectorAll<HTMLElement>('.line.end')].map(
      (line) => line.style.insetBlockEnd,
    );
    expect(new Set(ends).size).toBeLessThanOrEqual(1);
  });

  it('say that equal plans are equal', async () => {
    await renderChosen(kept, { part: 'compare', other: kept });
    expect(screen.getByText('Both plans have the same settings.')).toBeTruthy();
  });
});
