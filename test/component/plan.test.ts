import { screen, within } from '@testing-library/svelte';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { PlanAnswers } from '../../shared/strategy/wizard/answers';
import { defaultAnswers } from '../../shared/strategy/wizard/defaults';
import { GiB } from '../../shared/units';
import type { FakeBridge } from './support/fakeBridge';
import { DirectPlanWorker } from './support/planWorker';
import { textOf } from './support/queries';
import { expectAccessible, renderApp, settle } from './support/renderApp';
import { card, job, member, snapshot } from './support/snapshots';

beforeEach(() => void vi.stubGlobal('Worker', DirectPlanWorker));

/** Small enough that all its plans are there in a second. */
const small: PlanAnswers = {
  ...defaultAnswers,
  model: { kind: 'catalogue', id: 'smollm-135m' },
  wishes: { ...defaultAnswers.wishes, sequence: 256 },
};
const cards = (free = 24 * GiB) => [
  card(0, { memoryFreeBytes: free }),
  card(1, { memoryFreeBytes: 24 * GiB }),
];
const machine = snapshot({ cards: cards() });

async function openPlan(
  given = machine,
  answers: PlanAnswers | null = small,
  prepare: (bridge: FakeBridge) => void = () => undefined,
) {
  const app = await renderApp(given, {
    prepare: (bridge) => {
      bridge.plan = answers;
      prepare(bridge);
    },
  });
  app.state.route.go('plan');
  await settle();
  return { ...app, user: userEvent.setup() };
}

type Opened = Awaited<ReturnType<typeof openPlan>>;

/** Waits until the plans of the answers on show are there. */
async function planned({ state }: Pick<Opened, 'state'>): Promise<void> {
  await expect.poll(() => state.plan.results.progress).toBeNull();
  await settle();
}

const step = (name: RegExp): HTMLElement => screen.getByRole('button', { name });
const grid = (): HTMLElement => screen.getByRole('grid', { name: 'Plans' });
const rows = (): HTMLElement[] => [...grid().querySelectorAll<HTMLElement>('[data-key]')];

describe('the wizard', () => {
  it('has an answer for every step and plans at once', async () => {
    const app = await openPlan();
    await planned(app);
    expect(textOf(step(/^1? ?Model/))).toContain('SmolLM 135M · 135M');
    expect(textOf(step(/Cards/))).toContain('2 × RTX 3090, 24.0 GiB free on each');
    expect(textOf(step(/Data and batch/))).toContain('batch 16, 256 tokens');
    expect(textOf(step(/Method/))).toContain('Full fine-tuning');
    expect(textOf(step(/Plan DDP/))).toContain('fits');
    expect(rows().length).toBeGreaterThan(2);
    expect(textOf(rows()[0] ?? null)).toMatch(/^fits .*1\.00×/);
    expect(textOf(screen.getByRole('region', { name: 'Answer' }))).toMatch(
      /^Full fine-tuning fits: DDP, .*, \d+\.\d GiB of 24\.0 GiB \d+ plans$/,
    );
    await expectAccessible(app.container);
  });

  it('starts with the answers of the last time, and keeps new ones', async () => {
    const app = await openPlan();
    await planned(app);
    await app.user.click(step(/Data and batch/));
    const field = screen.getByRole('textbox', { name: 'Tokens of a sample' });
    expect(field).toHaveProperty('value', '256');
    await app.user.clear(field);
    await app.user.type(field, '128');
    expect(app.bridge.plan?.wishes.sequence).toBe(128);
    await planned(app);
    expect(textOf(step(/Data and batch/))).toContain('batch 16, 128 tokens');
  });

  it('loses nothing that is being typed when plans or readings come', async () => {
    const app = await openPlan();
    await app.user.click(step(/Data and batch/));
    const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Tokens of a sample' });
    await app.user.clear(field);
    await app.user.type(field, '1');
    app.bridge.push({ ...machine, cards: cards(10 * GiB), time: machine.time + 1 });
    await planned(app);
    await app.user.type(field, '2', { skipClick: true });
    app.bridge.push({ ...machine, cards: [...cards(), card(2)], time: machine.time + 2 });
    await settle();
    expect(document.activeElement).toBe(field);
    await app.user.type(field, '8', { skipClick: true });
    expect(field.value).toBe('128');
    expect(app.state.plan.answers.wishes.sequence).toBe(128);
  });

  it('keeps the value before while a field cannot be read, and says so', async () => {
    const app = await openPlan();
    await app.user.click(step(/Data and batch/));
    const field = screen.getByRole('textbox', { name: 'Tokens of a sample' });
    await app.user.clear(field);
    expect(screen.getByRole('alert').textContent).toBe('A whole number from 1 to 4,194,304 is expected.');
    await app.user.type(field, 'many');
    expect(app.state.plan.answers.wishes.sequence).toBe(256);
    expect(field.getAttribute('aria-invalid')).toBe('true');
  });

  it('goes from step to step by the keyboard', async () => {
    const app = await openPlan();
    await planned(app);
    step(/Model/).focus();
    await app.user.keyboard('{Enter}');
    expect(step(/Model/).getAttribute('aria-expanded')).toBe('true');
    screen.getByRole('button', { name: 'Next: Cards' }).click();
    // At once: who types fast has pressed the next key before a frame is drawn.
    expect(document.activeElement).toBe(step(/Cards/));
    expect(step(/Cards/).getAttribute('aria-expanded')).toBe('true');
    expect(step(/Model/).getAttribute('aria-expanded')).toBe('false');
  });
});

describe('the model', () => {
  it('is found in the catalogue by words', async () => {
    const app = await openPlan();
    await app.user.click(step(/Model/));
    await app.user.type(screen.getByRole('textbox', { name: 'Search models' }), 'gpt 2 medium');
    const list = await screen.findByRole('list', { name: 'Models' });
    await expect.poll(() => within(list).getAllByRole('button').map(textOf)).toEqual(['GPT-2 medium 355M']);
    await app.user.keyboard('{Enter}');
    await planned(app);
    expect(textOf(step(/Model/))).toContain('GPT-2 medium · 355M');
    expect(screen.getByText('354,823,168 parameters')).toBeTruthy();
  });

  it('stays what it was where a config cannot be read', async () => {
    const app = await openPlan();
    await planned(app);
    await app.user.click(step(/Model/));
    await app.user.click(screen.getByRole('radio', { name: 'config.json' }));
    await app.user.click(screen.getByRole('textbox', { name: 'The text of a config.json' }));
    await app.user.paste('{"model_type":\n');
    const alert = await screen.findByRole('alert');
    expect(textOf(alert)).toMatch(/^Pasted text: .* The model before stays in use\.$/);
    expect(app.state.plan.answers.model).toEqual(small.model);
    expect(screen.getByRole('textbox', { name: 'The text of a config.json' })).toHaveProperty(
      'value',
      '{"model_type":\n',
    );
  });

  it('can be typed as sizes', async () => {
    const app = await openPlan();
    await app.user.click(step(/Model/));
    await app.user.click(screen.getByRole('radio', { name: 'Sizes' }));
    const layers = screen.getByRole('textbox', { name: 'Layers' });
    await app.user.clear(layers);
    await app.user.type(layers, '2');
    await expect.poll(() => app.state.plan.answers.model).toMatchObject({ sizes: { layers: 2 } });
    const heads = screen.getByRole('textbox', { name: 'Key and value heads' });
    await app.user.clear(heads);
    await app.user.type(heads, '5');
    expect(textOf(await screen.findByRole('alert'))).toContain('cannot be divided among 5');
    expect(app.state.plan.answers.model).toMatchObject({ sizes: { keyValueHeads: 8 } });
  });
});

describe('the cards', () => {
  it('do not follow every second, but can be read again', async () => {
    const app = await openPlan();
    await planned(app);
    app.bridge.push({ ...machine, cards: cards(10 * GiB) });
    await settle();
    expect(textOf(step(/Cards/))).toContain('24.0 GiB free on each');
    await app.user.click(step(/Cards/));
    // With the step closed the answer tells it: its plans are for what was free before.
    app.state.plan.openStep = null;
    await settle();
    expect(textOf(screen.getByRole('region', { name: 'Answer' }))).toContain(
      'free memory has changed since. Read again',
    );
    await app.user.click(screen.getByRole('button', { name: 'Read again' }));
    expect(textOf(step(/Cards/))).toContain('10.0 GiB to 24.0 GiB free');
  });

  it('can be left out, and be others than those of the machine', async () => {
    const app = await openPlan();
    await app.user.click(step(/Cards/));
    await app.user.click(screen.getByRole('checkbox', { name: 'Use card 0' }));
    expect(textOf(step(/Cards/))).toContain('1 × RTX 3090, 24.0 GiB free');
    await app.user.click(screen.getByRole('radio', { name: 'Other cards' }));
    const field = screen.getByRole('textbox', { name: 'Sizes of the cards' });
    await app.user.clear(field);
    await app.user.type(field, 'lots');
    expect(textOf(screen.getByRole('alert'))).toContain('“lots” does not name cards.');
    await app.user.clear(field);
    await app.user.type(field, '24576, 16384');
    expect(textOf(step(/Cards/))).toContain('16.0 GiB to 24.0 GiB');
  });

  it('are joined as nvidia-smi says', async () => {
    const app = await openPlan(machine, small, (bridge) => {
      bridge.links = [{ from: 'GPU0', to: 'GPU1', kind: 'NV4', link: null }];
    });
    await planned(app);
    await app.user.click(step(/Cards/));
    expect(screen.getByRole('option', { name: 'As nvidia-smi says' })).toBeTruthy();
    expect(screen.getByText('44.7 GiB a second from card to card')).toBeTruthy();
  });

  it('are asked for where the machine has none', async () => {
    const app = await openPlan(snapshot());
    await planned(app);
    expect(screen.getAllByText(/No NVIDIA card was found/)).toHaveLength(2);
    await app.user.click(screen.getByRole('button', { name: 'Plan for 2 x 24 GiB' }));
    await planned(app);
    expect(rows().length).toBeGreaterThan(2);
  });
});

describe('the plans', () => {
  it('are chosen, compared and sorted by the keyboard', async () => {
    const app = await openPlan();
    await planned(app);
    const [first, second, third] = rows();
    first?.focus();
    await app.user.keyboard('{ArrowDown}{Enter}');
    expect(app.state.plan.choice.plan?.rank).toBe(2);
    expect(second?.getAttribute('aria-selected')).toBe('true');
    await app.user.keyboard('{ArrowDown}c');
    expect(document.activeElement).toBe(third);
    expect(app.state.plan.choice.other?.rank).toBe(3);
    await app.user.keyboard('c{Home}');
    expect(app.state.plan.choice.other).toBeNull();
    expect(document.activeElement).toBe(first);

    await app.user.click(screen.getByRole('button', { name: 'Memory on each card' }));
    const memory = screen.getByRole('columnheader', { name: 'Memory on each card' });
    expect(memory.getAttribute('aria-sort')).toBe('ascending');
  });

  it('say why nothing fits, with the reason of every strategy', async () => {
    const app = await openPlan(
      snapshot({ cards: [card(0, { memoryFreeBytes: GiB / 4, memoryTotalBytes: GiB })] }),
      {
        ...small,
        model: { kind: 'catalogue', id: 'llama-2-13b' },
      },
    );
    await planned(app);
    expect(screen.getByText('Nothing fits these cards')).toBeTruthy();
    expect(textOf(screen.getByRole('region', { name: 'Answer' }))).toMatch(
      /^Full fine-tuning does not fit these cards Nearest to it: .*\. It needs at least .* GiB on a card that has/,
    );
    const refused = screen.getByRole('list', { name: 'Not possible' });
    expect(textOf(refused)).toContain('One card holds everything: 13B parameters take');
    await expectAccessible(app.container);
  });

  it('say where a plan fits only with host memory of which nobody knows how much there is', async () => {
    const app = await openPlan(snapshot({ cards: [card(0)] }), {
      ...small,
      model: { kind: 'catalogue', id: 'llama-2-7b' },
      cards: { kind: 'given', text: '1 x 24 GiB', cardName: null },
      wishes: { ...small.wishes, offload: 'all' },
    });
    await planned(app);
    const answer = () => textOf(screen.getByRole('region', { name: 'Answer' }));
    expect(answer()).toMatch(
      /^Full fine-tuning fits: .* It needs .* GiB of host memory\. How much there is is not known/,
    );
    app.state.plan.change({ hostGib: 512 });
    await planned(app);
    expect(answer()).not.toContain('host memory');
  });

  it('stay, dimmed, until those of the new answers are there', async () => {
    const app = await openPlan();
    await planned(app);
    app.state.plan.wish({ sequence: 512 });
    await settle();
    expect(grid().getAttribute('aria-busy')).toBe('true');
    expect(grid().classList.contains('stale')).toBe(true);
    expect(rows().length).toBeGreaterThan(2);
    await planned(app);
    expect(grid().classList.contains('stale')).toBe(false);
  });

  it('drop a planning that a newer change overtakes', async () => {
    const app = await openPlan();
    for (const sequence of [32, 64, 96]) app.state.plan.wish({ sequence });
    await planned(app);
    expect(app.state.plan.choice.plan?.request.training.sequence).toBe(96);
  });

  it('answer what is asked back', async () => {
    const app = await openPlan();
    await planned(app);
    await app.user.click(step(/Plan DDP/));
    await app.user.click(screen.getByRole('button', { name: 'Smallest card' }));
    await expect.poll(() => app.state.plan.asking.answered).not.toBeNull();
    await settle();
    expect(screen.getByText(/cards? of .* enough\.$/)).toBeTruthy();
    app.state.plan.wish({ sequence: 512 });
    expect(app.state.plan.asking.answered).toBeNull();
  });
});

describe('the files', () => {
  it('are saved through main and the answer says where', async () => {
    const app = await openPlan();
    await planned(app);
    await expect.poll(() => app.state.plan.choice.files).not.toBeNull();
    await app.user.click(step(/^6? ?Files/));
    await app.user.click(screen.getByRole('button', { name: 'Save the files' }));
    await settle();
    expect(screen.getByText('Saved in /home/ada/llama')).toBeTruthy();
    const call = app.bridge.calls.find(({ name }) => name === 'plan.save');
    expect(call?.argument).toMatchObject({
      files: expect.arrayContaining([expect.objectContaining({ name: 'train.py' })]) as unknown,
    });
  });

  it('are refused with the reason where there are none for a plan', async () => {
    const app = await openPlan(machine, { ...small, wishes: { ...small.wishes, optimizer: 'lion' } });
    await planned(app);
    await expect.poll(() => app.state.plan.choice.saving.kind).toBe('refused');
    await app.user.click(step(/^6? ?Files/));
    expect(screen.getAllByText(/lion/).length).toBeGreaterThan(0);
    for (const row of rows()) expect(textOf(row)).toContain('no files');
    await app.user.click(screen.getByRole('tab', { name: 'Runs' }));
    expect(screen.getByText('Without files there is nothing that could be run or measured.')).toBeTruthy();
  });
});

describe('the ways to the wizard', () => {
  const training = job('j1', [
    member(41822, [[0, 22 * GiB]], {
      process: { command: ['python', 'finetune.py', '--model', 'SmolLM-135M'] },
    }),
  ]);
  const uneven = snapshot({
    cards: [
      card(0, { memoryFreeBytes: GiB, memoryUsedBytes: 23 * GiB }),
      card(1, { memoryFreeBytes: 24 * GiB }),
    ],
    jobs: [training],
    imbalance: [
      {
        kind: 'everything-on-one-card',
        gpuIndices: [0],
        jobIds: ['j1'],
        what: { key: 'app.doctor', values: {} },
        why: { key: 'app.doctor', values: {} },
        remedy: { key: 'app.doctor', values: {} },
      },
    ],
  });

  it('lead from a job that is on one card to a plan for all of them, as if it had ended', async () => {
    const app = await renderApp(uneven, { prepare: (bridge) => void (bridge.plan = null) });
    await userEvent.click(screen.getByRole('button', { name: 'Plan this job on 2 cards' }));
    await planned(app);
    expect(app.state.route.place).toBe('plan');
    expect(textOf(step(/Model/))).toContain('SmolLM 135M');
    expect(textOf(step(/Cards/))).toContain('23.0 GiB to 24.0 GiB free');
    await userEvent.click(step(/Cards/));
    expect(screen.getByText(/As if train\.py had ended\./)).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Count what it holds' }));
    expect(textOf(step(/Cards/))).toContain('1.0 GiB to 24.0 GiB free');
  });

  it('lead from the cards of a failure text to a plan for them', async () => {
    const app = await openPlan();
    await app.state.plan.takeHint({
      cards: [{ gpuIndex: 0, totalBytes: 8 * GiB, availableBytes: null }],
      ranks: 2,
      whileLoading: false,
      text: '',
      seenHere: null,
    });
    await settle();
    expect(textOf(step(/^Cards/))).toContain('2 cards, 8.0 GiB each');
    await app.user.click(step(/^Cards/));
    expect(screen.getByText('The cards are those of the failure text in the Doctor.')).toBeTruthy();
  });
});
