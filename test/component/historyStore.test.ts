import { expect, test } from 'vitest';
import { HistoryStore } from '../../renderer/state/history.svelte';
import type { History, HistorySpan } from '../../shared/snapshot/history/history';
import type { Snapshot } from '../../shared/alerts/snapshot';
import { FakeBridge } from './support/fakeBridge';
import { settle } from './support/renderApp';
import { twoCards } from './support/scenes';
import { noon } from './support/snapshots';

const at = (seconds: number, over: Partial<Snapshot> = {}): Snapshot => ({
  ...twoCards(),
  time: noon + seconds,
  ...over,
});

const rare = { intervalSeconds: 60 } as const;

/** Plays Snapshots and tells which spans were asked of main, in order. */
async function play(
  snapshots: readonly Snapshot[],
  prepare?: (store: HistoryStore) => void,
): Promise<string[]> {
  const bridge = new FakeBridge(twoCards());
  const store = new HistoryStore(bridge);
  prepare?.(store);
  for (const one of snapshots) {
    store.take(one);
    await settle();
  }
  return bridge.calls.map(({ argument }) => (argument as { span: string }).span);
}

test('the past is read once, then kept up from the Snapshots', async () => {
  expect(await play([at(0), at(1), at(2), at(3)])).toEqual(['fiveMinutes']);
});

test('it is read again when jobs come or go, after a gap, and when time runs back', async () => {
  expect(await play([at(0), at(1, { jobs: [] })])).toEqual(['fiveMinutes', 'fiveMinutes']);
  expect(await play([at(0), at(60)])).toEqual(['fiveMinutes', 'fiveMinutes']);
  expect(await play([at(0, rare), at(60, rare), at(120, rare)])).toEqual(['fiveMinutes']);
  expect(await play([at(0, rare), at(300, rare)])).toEqual(['fiveMinutes', 'fiveMinutes']);
  expect(await play([at(5), at(0)])).toEqual(['fiveMinutes', 'fiveMinutes']);
});

test('another scene begins anew', async () => {
  const other = at(1, { source: { kind: 'simulated', sceneId: 'slow-leak' } });
  expect(await play([at(0), other])).toEqual(['fiveMinutes', 'fiveMinutes']);
});

test('a longer span is read when chosen and then only as often as a pixel moves', async () => {
  const ticks = Array.from({ length: 12 }, (_, second) => at(second));
  const asked = await play(ticks, (store) => store.choose('hour'));
  expect(asked.filter((span) => span === 'hour').length).toBeGreaterThanOrEqual(2);
  expect(asked.filter((span) => span === 'hour').length).toBeLessThanOrEqual(4);
});

test('a span that is not read yet shows nothing rather than another span', async () => {
  const bridge = new FakeBridge(twoCards());
  const store = new HistoryStore(bridge);
  store.take(at(0));
  await settle();
  store.choose('day');
  expect(store.shown).toBeNull();
  await settle();
  expect(store.shown?.span).toBe('day');
});

test('in the first minutes a long span shows the live history, as long as nothing is known of before', async () => {
  const bridge = new FakeBridge(twoCards());
  const young = (span: HistorySpan, from: number): History => ({
    span,
    fromTime: noon - 86_400,
    toTime: noon,
    intervalSeconds: 1,
    cards: [
      {
        gpuIndex: 0,
        times: [noon - from, noon],
        usedBytes: [1, 2],
        usedMinBytes: [1, 2],
        usedMaxBytes: [1, 2],
        utilizationPercent: [null, null],
        jobs: [],
      },
    ],
    marks: [],
  });
  let dayFrom = 45;
  bridge.answers['history.read'] = ({ span }) => ({
    ok: true,
    value: young(span, span === 'day' ? dayFrom : 30),
  });
  const store = new HistoryStore(bridge);
  store.take(at(0));
  store.choose('day');
  await settle();
  expect(store.shown?.span).toBe('fiveMinutes');
  dayFrom = 7200; // nvidia-smi was silent for a while, and had been read before.
  store.choose('day');
  await settle();
  expect(store.shown?.span).toBe('day');
});

test('a past that cannot be read is said', async () => {
  const bridge = new FakeBridge(twoCards());
  bridge.answers['history.read'] = () => ({
    ok: false,
    code: 'failed',
    message: { key: 'desktop.callFailed', values: { name: 'history.read' } },
  });
  const store = new HistoryStore(bridge);
  store.take(at(0));
  await settle();
  expect(store.failure?.key).toBe('desktop.callFailed');
});
