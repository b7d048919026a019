/**
 * The source of Snapshots that main uses: the sampler in a utility process, started again when it dies, and the past
 * of every card, which outlives it.
 */
import { join } from 'node:path';
import type { HistoryRequest, History } from '../../shared/snapshot/history/history';
import type { WorkstationState } from '../../shared/snapshot/types';
import { CardPast } from '../../shared/snapshot/history/cardPast';
import { jobMarks } from '../../shared/snapshot/history/jobMarks';
import { machineProblem } from '../../shared/gpu/problems';
import { findScene } from '../simulation/scenes';
import type { FromSampler, SamplerStart, ToSampler } from './samplerMessages';
import type { Attention, SensingOptions, SnapshotSource, StartSnapshotSource } from './source';

/** The part of Electron's utility process that is used here, so that tests can put a plain one in its place. */
export interface SamplerChild {
  postMessage(message: ToSampler): void;
  onMessage(listener: (message: FromSampler) => void): void;
  onExit(listener: (exitCode: number) => void): void;
  kill(): void;
}
export type ForkSampler = (modulePath: string) => SamplerChild;

const firstPauseMs = 500;
const longestPauseMs = 30_000;
/** A sampler that ran so long starts with the shortest pause again. */
const provenMs = 60_000;
const stopMs = 6000;

/** Makes the factory that main calls; `fork` starts a module in a process of its own. */
export function snapshotSourceWith(fork: ForkSampler): StartSnapshotSource {
  return (options) => new AppSource(fork, options);
}

class AppSource implements SnapshotSource<WorkstationState> {
  private readonly listeners = new Set<(snapshot: WorkstationState) => void>();
  private readonly waiting = new Map<number, (error: string | null) => void>();
  private child: SamplerChild | null = null;
  private newest: WorkstationState | null = null;
  private past = new CardPast();
  /** The jobs that this app ended, until their end is in the past. */
  private readonly killed = new Set<string>();
  private startedAt = 0;
  private pauseMs = firstPauseMs;
  private restart: NodeJS.Timeout | null = null;
  private requests = 0;
  private disposing: (() => void) | null = null;
  private disposed = false;
  private attention: Attention = 'watched';
  private start: SamplerStart;

  constructor(
    private readonly fork: ForkSampler,
    private readonly options: SensingOptions,
  ) {
    this.start = {
      sceneId: options.sceneId,
      intervalSeconds: options.intervalSeconds,
      nvidiaSmiPath: options.nvidiaSmiPath,
      // All programs are built into one folder; Electron's own binary is Node under ELECTRON_RUN_AS_NODE.
      simulation: {
        standInPath: join(__dirname, 'nvidiaSmi.cjs'),
        nodePath: process.execPath,
        speed: options.sceneSpeed,
      },
    };
    if (options.after === null) this.startChild();
    else void options.after.then(() => this.startChild());
  }

  subscribe(listener: (snapshot: WorkstationState) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  latest(): WorkstationState | null {
    return this.newest;
  }

  history(request: HistoryRequest): Promise<History> {
    return Promise.resolve(this.past.read(request, this.newest?.time ?? Date.now() / 1000));
  }

  markKilled(jobId: string): void {
    this.killed.add(jobId);
  }

  setAttention(attention: Attention): void {
    this.attention = attention;
    this.child?.postMessage({ kind: 'attention', attention });
  }

  configure({
    intervalSeconds,
    nvidiaSmiPath,
  }: Pick<SensingOptions, 'intervalSeconds' | 'nvidiaSmiPath'>): void {
    this.start = { ...this.start, intervalSeconds, nvidiaSmiPath };
    this.child?.postMessage({ kind: 'configure', intervalSeconds, nvidiaSmiPath });
  }

  async chooseScene(sceneId: string | null): Promise<void> {
    if (sceneId !== null && findScene(sceneId) === null) throw new Error(`no scene is called ${sceneId}`);
    const error = await this.ask(sceneId);
    if (error !== null) throw new Error(error);
    this.start = { ...this.start, sceneId };
    this.past = new CardPast();
    this.newest = null;
  }

  dispose(): Promise<void> {
    this.disposed = true;
    if (this.restart !== null) clearTimeout(this.restart);
    this.listeners.clear();
    const { child } = this;
    if (child === null) return Promise.resolve();
    return new Promise((resolve) => {
      const end = setTimeout(() => this.disposing?.(), stopMs);
      this.disposing = () => {
        clearTimeout(end);
        child.kill();
        resolve();
      };
      child.postMessage({ kind: 'stop' });
    });
  }

  private ask(sceneId: string | null): Promise<string | null> {
    const { child } = this;
    if (child === null) return Promise.resolve('sensing is being restarted');
    this.requests += 1;
    const request = this.requests;
    return new Promise((resolve) => {
      this.waiting.set(request, resolve);
      child.postMessage({ kind: 'choose', request, sceneId });
    });
  }

  private startChild(): void {
    if (this.disposed) return;
    this.startedAt = Date.now();
    const child = this.fork(join(__dirname, 'samplerProcess.cjs'));
    this.child = child;
    child.onMessage((received) => this.take(received));
    child.onExit((exitCode) => this.ended(child, exitCode));
    child.postMessage({ kind: 'start', options: this.start });
    if (this.attention !== 'watched') child.postMessage({ kind: 'attention', attention: this.attention });
  }

  private take(received: FromSampler): void {
    switch (received.kind) {
      case 'snapshot':
        if (!this.disposed) this.deliver(received.snapshot);
        return;
      case 'log':
        this.options.log(received.level, received.text);
        return;
      case 'chosen':
        this.waiting.get(received.request)?.(received.error);
        this.waiting.delete(received.request);
        return;
      case 'stopped':
        this.disposing?.();
        return;
    }
  }

  private deliver(snapshot: WorkstationState): void {
    const before = this.newest;
    this.newest = snapshot;
    // A Snapshot without new readings tells what is wrong; it is no point of the past.
    if (snapshot.cardsReadAt !== null && snapshot.cardsReadAt !== before?.cardsReadAt)
      this.past.add(snapshot);
    for (const mark of jobMarks(before, snapshot, this.killed)) {
      this.past.mark(mark);
      if (mark.kind === 'killed') this.killed.delete(mark.jobId);
    }
    for (const listener of this.listeners) listener(snapshot);
  }

  private ended(child: SamplerChild, exitCode: number): void {
    if (this.child !== child) return;
    this.child = null;
    this.disposing?.();
    for (const answer of this.waiting.values()) answer('sensing ended');
    this.waiting.clear();
    if (this.disposed) return;
    this.options.log('error', `the sampler ended with ${exitCode}; it is started again`);
    if (Date.now() - this.startedAt > provenMs) this.pauseMs = firstPauseMs;
    this.restart = setTimeout(() => this.startChild(), this.pauseMs);
    this.pauseMs = Math.min(this.pauseMs * 2, longestPauseMs);
    this.tellEnded();
  }

  /** The last Snapshot once more, with the news that nobody reads at the moment. */
  private tellEnded(): void {
    if (this.newest === null) return;
    const problem = machineProblem('sensing-ended');
    this.deliver({ ...this.newest, time: Date.now() / 1000, problems: [...this.newest.problems, problem] });
  }
}
