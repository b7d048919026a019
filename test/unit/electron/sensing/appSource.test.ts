import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { WorkstationState } from '../../../../shared/snapshot/types';
import { snapshotSourceWith, type SamplerChild } from '../../../../electron/sensing/appSource';
import type { FromSampler, ToSampler } from '../../../../electron/sensing/samplerMessages';
import { plainCard, snapshotOf } from '../../shared/contract/typedSnapshot';

/** A sampler's process in a test's hands. */
class TypedChild implements SamplerChild {
  readonly received: ToSampler[] = [];
  killed = false;
  private listener: (message: FromSampler) => void = () => undefined;
  private exit: (code: number) => void = () => undefined;

  postMessage(message: ToSampler): void {
    this.received.push(message);
  }
  onMessage(listener: (message: FromSampler) => void): void {
    this.listener = listener;
  }
  onExit(listener: (exitCode: number) => void): void {
    this.exit = listener;
  }
  kill(): void {
    this.killed = true;
  }
  say(message: FromSampler): void {
    this.listener(message);
  }
  die(code: number): void {
    this.exit(code);
  }
}

function open(after: Promise<void> | null = null) {
  vi.useFakeTimers({ now: 1_000_000 });
  onTestFinished(() => void vi.useRealTimers());
  const children: TypedChild[] = [];
  const log: string[] = [];
  const source = snapshotSourceWith(() => {
    const child = new TypedChild();
    children.push(child);
    return child;
  })({
    sceneId: 'mig',
    sceneSpeed: 60,
    intervalSeconds: 2,
    nvidiaSmiPath: null,
    after,
    log: (level, text) => log.push(`${level} ${text}`),
  });
  const child = (at = -1): TypedChild => {
    const found = children.at(at);
    if (found === undefined) throw new Error('no sampler was started');
    return found;
  };
  return { source, children, child, log };
}

const withCard = (time: number, usedBytes: number): WorkstationState =>
  snapshotOf({
    time,
    cardsReadAt: time,
    cards: [plainCard(0, { memoryUsedBytes: usedBytes, memoryTotalBytes: 100 })],
  });

describe('the app’s source of Snapshots', () => {
  it('starts one sampler with what it was given, and hands on what it says', () => {
    const { source, child, children, log } = open();
    expect(children).toHaveLength(1);
    expect(child().received).toMatchObject([
      {
        kind: 'start',
        options: { sceneId: 'mig', intervalSeconds: 2, nvidiaSmiPath: null, simulation: { speed: 60 } },
      },
    ]);
    const seen: WorkstationState[] = [];
    const end = source.subscribe((snapshot) => seen.push(snapshot));
    expect(source.latest()).toBeNull();
    child().say({ kind: 'snapshot', snapshot: snapshotOf({ time: 1 }) });
    expect(seen).toEqual([snapshotOf({ time: 1 })]);
    expect(source.latest()?.time).toBe(1);
    end();
    child().say({ kind: 'snapshot', snapshot: snapshotOf({ time: 2 }) });
    expect(seen).toHaveLength(1);
    child().say({ kind: 'log', level: 'warn', text: 'nvidia-smi is silent' });
    expect(log).toEqual(['warn nvidia-smi is silent']);
  });

  it('starts its sampler when what it waits for is there, with the wishes of meanwhile', async () => {
    let show = (): void => undefined;
    const { source, children, child } = open(new Promise((resolve) => (show = resolve)));
    source.configure({ intervalSeconds: 5, nvidiaSmiPath: null });
    source.setAttention('background');
    expect(children).toHaveLength(0);
    show();
    await vi.advanceTimersByTimeAsync(0);
    expect(children).toHaveLength(1);
    expect(child().received).toMatchObject([
      { kind: 'start', options: { intervalSeconds: 5 } },
      { kind: 'attention', attention: 'background' },
    ]);
  });

  it('starts no sampler where it was ended before', async () => {
    let show = (): void => undefined;
    const { source, children } = open(new Promise((resolve) => (show = resolve)));
    await source.dispose();
    show();
    await vi.advanceTimersByTimeAsync(0);
    expect(children).toHaveLength(0);
  });

  it('keeps the past, without the Snapshots that bring no new reading', async () => {
    const { source, child } = open();
    for (const [time, used] of [
      [1000, 10],
      [1001, 20],
      [1002, 30],
    ] as const)
      child().say({ kind: 'snapshot', snapshot: withCard(time, used) });
    child().say({ kind: 'snapshot', snapshot: { ...withCard(1003, 999), cardsReadAt: 1002 } });
    const history = await source.history({ span: 'fiveMinutes', pixelWidth: 800 });
    const used = history.cards[0]?.usedBytes.filter((bytes) => bytes !== null) ?? [];
    expect(used).toEqual([10, 20, 30]);
  });

  it('changes the scene and forgets the past, or says why it could not', async () => {
    const { source, child } = open();
    child().say({ kind: 'snapshot', snapshot: withCard(1000, 10) });
    const choosing = source.chooseScene('eight-healthy');
    expect(child().received.at(-1)).toEqual({ kind: 'choose', request: 1, sceneId: 'eight-healthy' });
    child().say({ kind: 'chosen', request: 1, error: null });
    await choosing;
    expect(source.latest()).toBeNull();
    expect((await source.history({ span: 'hour', pixelWidth: 800 })).cards).toEqual([]);

    await expect(source.chooseScene('nothing')).rejects.toThrow('nothing');
    expect(child().received).toHaveLength(2);
    const refused = source.chooseScene(null);
    child().say({ kind: 'chosen', request: 2, error: 'no room for the scene' });
    await expect(refused).rejects.toThrow('no room for the scene');
  });

  it('passes on attention and settings', () => {
    const { source, child } = open();
    source.setAttention('background');
    source.configure({ intervalSeconds: 5, nvidiaSmiPath: '/opt/nvidia-smi' });
    expect(child().received.slice(1)).toEqual([
      { kind: 'attention', attention: 'background' },
      { kind: 'configure', intervalSeconds: 5, nvidiaSmiPath: '/opt/nvidia-smi' },
    ]);
  });

  it('starts a sampler again that dies, with growing pauses, the newest wishes, and a Problem meanwhile', async () => {
    const { source, child, children, log } = open();
    source.configure({ intervalSeconds: 5, nvidiaSmiPath: null });
    source.setAttention('background');
    child().say({ kind: 'snapshot', snapshot: withCard(1000, 10) });
    const unanswered = source.chooseScene(null);
    child().die(139);
    await expect(unanswered).rejects.toThrow('sensing ended');
    expect(source.latest()?.problems).toMatchObject([{ code: 'sensing-ended' }]);
    expect(log.at(-1)).toContain('139');
    vi.advanceTimersByTime(499);
    expect(children).toHaveLength(1);
    vi.advanceTimersByTime(1);
    expect(child().received).toMatchObject([
      { kind: 'start', options: { sceneId: 'mig', intervalSeconds: 5 } },
      { kind: 'attention', attention: 'background' },
    ]);
    child().die(1);
    vi.advanceTimersByTime(999);
    expect(children).toHaveLength(2);
    vi.advanceTimersByTime(1);
    expect(children).toHaveLength(3);
  });

  it('ends its sampler, waits for it, and delivers nothing afterwards', async () => {
    const { source, child, children } = open();
    const seen: WorkstationState[] = [];
    source.subscribe((snapshot) => seen.push(snapshot));
    const disposing = source.dispose();
    expect(child().received.at(-1)).toEqual({ kind: 'stop' });
    child().say({ kind: 'snapshot', snapshot: snapshotOf({ time: 9 }) });
    child().say({ kind: 'stopped' });
    await disposing;
    expect(child().killed).toBe(true);
    expect(seen).toEqual([]);
    child().die(0);
    vi.advanceTimersByTime(60_000);
    expect(children).toHaveLength(1);
  });

  it('waits no longer than some seconds for a sampler that does not end', async () => {
    const { source, child } = open();
    const disposing = source.dispose();
    vi.advanceTimersByTime(6000);
    await disposing;
    expect(child().killed).toBe(true);
  });
});
