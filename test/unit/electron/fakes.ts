import type { History, HistoryRequest } from '../../../shared/snapshot/history/history';
import type { Snapshot } from '../../../shared/alerts/snapshot';
import type { Attention, SensingOptions, SnapshotSource } from '../../../electron/sensing/source';
import type { Log } from '../../../electron/storage/log';
import { snapshotOf } from '../shared/contract/typedSnapshot';

/** A log that keeps its lines. */
export class FakeLog implements Log {
  readonly lines: string[] = [];

  info(text: string): void {
    this.lines.push(`info ${text}`);
  }
  warn(text: string, error?: unknown): void {
    this.lines.push(`warn ${text}${error === undefined ? '' : ` ${String(error)}`}`);
  }
  error(text: string, error?: unknown): void {
    this.lines.push(`error ${text}${error === undefined ? '' : ` ${String(error)}`}`);
  }
}

/** A source that delivers what a test hands it and writes down what it is asked. */
export class FakeSource implements SnapshotSource {
  readonly asked: string[] = [];
  private newest: Snapshot | null = null;
  private readonly listeners = new Set<(snapshot: Snapshot) => void>();

  deliver(snapshot: Snapshot): void {
    this.newest = snapshot;
    for (const listener of this.listeners) listener(snapshot);
  }
  subscribe(listener: (snapshot: Snapshot) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
  latest(): Snapshot | null {
    return this.newest;
  }
  history(request: HistoryRequest): Promise<History> {
    this.asked.push(`history ${request.span} ${request.pixelWidth}`);
    return Promise.resolve({
      span: request.span,
      fromTime: 0,
      toTime: 1,
      intervalSeconds: null,
      cards: [],
      marks: [],
    });
  }
  markKilled(jobId: string): void {
    this.asked.push(`killed ${jobId}`);
  }
  setAttention(attention: Attention): void {
    this.asked.push(attention);
  }
  configure(options: Pick<SensingOptions, 'intervalSeconds' | 'nvidiaSmiPath'>): void {
    this.asked.push(`configure ${options.intervalSeconds} ${String(options.nvidiaSmiPath)}`);
  }
  chooseScene(sceneId: string | null): Promise<void> {
    this.asked.push(`scene ${String(sceneId)}`);
    return Promise.resolve();
  }
  dispose(): Promise<void> {
    this.asked.push('dispose');
    return Promise.resolve();
  }
}

/** A Snapshot of a machine without cards, read at that time. */
export function emptySnapshot(time: number): Snapshot {
  return snapshotOf({ time, cardsReadAt: time });
}
