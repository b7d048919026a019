import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Incomplete, PlanProgress, Planned, PlanRunner } from '../../renderer/plan/runPlan';
import { PlanStore } from '../../renderer/state/plan.svelte';
import { message } from '../../shared/i18n/message';
import type { Plan } from '../../shared/strategy/types';
import { defaultAnswers } from '../../shared/strategy/wizard/defaults';
import { FakeBridge } from './support/fakeBridge';
import { card, snapshot } from './support/snapshots';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const noCards: Incomplete = { kind: 'incomplete', step: 'cards', why: message('planSteps.noneDetected') };
const nothing: Planned = {
  kind: 'planned',
  planning: 1,
  plans: [],
  rows: [],
  refused: [],
  answer: { kind: 'nothing', method: 'full', nearest: null },
  assumptions: [],
  warnings: [],
  cards: [],
  hostBytes: null,
  globalBatch: 8,
};

/** A planner that answers when the test says so. */
function heldPlanner() {
  let tell: (progress: PlanProgress) => void = () => undefined;
  let answer: (result: Planned | Incomplete | null) => void = () => undefined;
  const never = () => new Promise<never>(() => undefined);
  const runner: PlanRunner = {
    plan: (_answers, _machine, onprogress) => {
      tell = onprogress;
      return new Promise((resolve) => (answer = resolve));
    },
    detail: never,
    files: never,
    model: never,
    catalogue: never,
    ask: never,
    stopAsking: () => undefined,
  };
  return {
    runner,
    tell: (progress: PlanProgress) => tell(progress),
    async answer(result: Planned | Incomplete) {
      answer(result);
      await vi.advanceTimersByTimeAsync(0);
    },
  };
}

function storeOn(bridge: FakeBridge) {
  const planner = heldPlanner();
  const errors: unknown[] = [];
  const store = new PlanStore(
    bridge,
    planner.runner,
    () => 'en',
    (error) => errors.push(error),
    () => [],
  );
  return { planner, store, errors };
}

async function opened() {
  const all = storeOn(new FakeBridge(null));
  all.store.see(snapshot());
  await all.store.show();
  return all;
}

test('nothing is said of this machine’s cards before they have been read', async () => {
  const { store } = storeOn(new FakeBridge(null));
  const planned = vi.spyOn(store.runner, 'plan');
  await store.show();
  store.see(snapshot({ cardsReadAt: null }));
  expect([store.waitsForMachine, planned.mock.calls.length]).toEqual([true, 0]);
  store.see(snapshot({ cards: [card(0)] }));
  expect([store.waitsForMachine, planned.mock.calls.length]).toEqual([false, 1]);
  store.see(snapshot({ cards: [card(0)] }));
  expect(planned.mock.calls.length).toBe(1);
});

test('what was missing is not told any more while answers that are complete are being planned', async () => {
  const { planner, store } = await opened();
  await planner.answer(noCards);
  expect(store.results.incomplete).toEqual(noCards);
  store.see(snapshot({ cards: [card(0)] }));
  expect(store.results.incomplete).toEqual(noCards);
  planner.tell({ kind: 'drafts', rows: [], lookedAt: 3 });
  expect([store.results.incomplete, store.results.progress]).toEqual([null, { kind: 'drafting', count: 3 }]);
  await planner.answer(noCards);
  store.readMachine();
  planner.tell({ kind: 'judging', done: 1, total: 4 });
  expect(store.results.incomplete).toBeNull();
});

test('the files of answers before are not saved once a new planning takes long', async () => {
  const { planner, store, errors } = await opened();
  await planner.answer(nothing);
  store.choice.saving = { kind: 'saved', folder: '/tmp/plan', names: ['train.py'] };
  store.wish({ sequence: 512 });
  expect([store.results.takesLong, store.saving.kind]).toEqual([false, 'saved']);
  await vi.advanceTimersByTimeAsync(300);
  expect([store.results.takesLong, store.saving.kind]).toEqual([true, 'preparing']);
  store.choice.saving = { kind: 'saving' };
  expect(store.saving.kind).toBe('saving'); // The system's dialog is open and goes on.
  store.choice.saving = { kind: 'idle' };
  await planner.answer(nothing);
  expect([store.results.takesLong, store.saving.kind]).toEqual([false, 'idle']);
  expect(errors).toEqual([]);
});

test('what is answered before the answers of the last time have been read is not lost, nor are they', async () => {
  const bridge = new FakeBridge(null);
  bridge.plan = { ...defaultAnswers, model: { kind: 'catalogue', id: 'smollm-135m' } };
  const { store } = storeOn(bridge);
  store.wish({ sequence: 512 });
  store.wish({ globalBatch: 4 });
  await store.show();
  expect(store.answers).toMatchObject({
    model: { kind: 'catalogue', id: 'smollm-135m' },
    wishes: { sequence: 512, globalBatch: 4 },
  });
  expect(bridge.plan).toMatchObject({ model: { id: 'smollm-135m' }, wishes: { sequence: 512 } });
});

test('the files of the plan that was chosen before are not saved', async () => {
  const { store } = await opened();
  store.choice.saving = { kind: 'idle' };
  expect(store.saving.kind).toBe('idle');
  store.choice.plan = { rank: 2 } as Plan; // The files on show are still those of another one.
  expect(store.saving.kind).toBe('preparing');
});
