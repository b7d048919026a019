import type { AlertsState } from '../../shared/contract/alertsState';
import type { History, HistoryRequest } from '../../shared/snapshot/history/history';
import type { Settings } from '../../shared/contract/settings';
import type { Alert, Snapshot } from '../../shared/alerts/snapshot';
import type { WorkstationState } from '../../shared/snapshot/types';
import type { SuspectedOomExit } from '../../shared/doctor/suspectedOomExit';
import { mutedIndices } from '../../shared/alerts/mutedCards';
import { noAlerts, snooze, watchAlerts, type AlertMemory, type AlertRecord } from '../../shared/alerts/watch';
import type { Attention, SensingOptions, SnapshotSource } from '../sensing/source';

/** How long a process that was ended through Headroom is remembered as such: its end is seen with the next reading. */
const endedForSeconds = 120;

/** So many ends of processes are kept for the doctor. */
const keptOomExits = 20;

/** Where the alerts of this machine's own cards outlive the app. */
export interface AlertHistoryStore {
  saved(): readonly AlertRecord[];
  save(records: readonly AlertRecord[]): void;
}

type RaisedListener = (raised: readonly Alert[], snapshot: Snapshot) => void;

/**
 * A source whose Snapshots have their alerts: it hands each one of another source through the rules, with the settings
 * of the moment. It lives in main, so that what was raised and snoozed outlives the sampler's process.
 */
export class AlertWatch implements SnapshotSource {
  private memory: AlertMemory = noAlerts;
  private newest: { readonly raw: WorkstationState; readonly shown: Snapshot } | null = null;
  /** Kept in memory only: they hold command lines, which are nobody's business on disk. */
  private oomExits: readonly SuspectedOomExit[] = [];
  private readonly ended = new Map<number, number>();
  private readonly listeners = new Set<(snapshot: Snapshot) => void>();
  private readonly raisedListeners = new Set<RaisedListener>();
  private readonly changeListeners = new Set<(state: AlertsState) => void>();
  private readonly unsubscribe: () => void;

  constructor(
    private readonly source: SnapshotSource<WorkstationState>,
    private readonly settings: () => Settings,
    /** Seconds since the epoch. */
    private readonly clock: () => number,
    private readonly historyStore: AlertHistoryStore,
  ) {
    this.unsubscribe = source.subscribe((snapshot) => this.take(snapshot));
  }

  /** Calls the listener with what a Snapshot has just raised; returns what ends it. */
  onRaised(listener: RaisedListener): () => void {
    this.raisedListeners.add(listener);
    return () => this.raisedListeners.delete(listener);
  }

  /** Calls the listener whenever the history or a snooze changes; returns what ends it. */
  onChange(listener: (state: AlertsState) => void): () => void {
    this.changeListeners.add(listener);
    return () => this.changeListeners.delete(listener);
  }

  state(): AlertsState {
    const now = this.clock();
    const lasting = [...this.memory.snoozedUntil].filter(([, until]) => until > now);
    return {
      history: this.memory.history,
      snoozedUntil: Object.fromEntries(lasting),
      oomExits: this.oomExits,
    };
  }

  /** Announces nothing more of the alert (`*`: of any) for so many seconds; with 0 it is announced again. */
  snooze(id: string, seconds: number): AlertsState {
    this.memory = snooze(this.memory, id, this.clock(), seconds);
    this.tellChange();
    return this.state();
  }

  /** For the part that ends jobs: these processes are ended on purpose, so that their end is no failure. */
  endedByHeadroom(pids: Iterable<number>): void {
    for (const pid of pids) this.ended.set(pid, this.clock() + endedForSeconds);
  }

  subscribe(listener: (snapshot: Snapshot) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  latest(): Snapshot | null {
    const raw = this.source.latest();
    if (raw === null) return null;
    return raw === this.newest?.raw ? this.newest.shown : { ...raw, alerts: [] };
  }

  history(request: HistoryRequest): Promise<History> {
    return this.source.history(request);
  }

  markKilled(jobId: string): void {
    this.source.markKilled(jobId);
  }

  setAttention(attention: Attention): void {
    this.source.setAttention(attention);
  }

  configure(options: Pick<SensingOptions, 'intervalSeconds' | 'nvidiaSmiPath'>): void {
    this.source.configure(options);
  }

  async chooseScene(sceneId: string | null): Promise<void> {
    await this.source.chooseScene(sceneId);
    // Also the same scene begins anew: what ran in it before has not failed.
    this.memory = { ...this.memory, previous: null };
  }

  dispose(): Promise<void> {
    this.unsubscribe();
    this.listeners.clear();
    this.raisedListeners.clear();
    this.changeListeners.clear();
    return this.source.dispose();
  }

  private take(raw: WorkstationState): void {
    if (!isSameMachine(this.memory.previous, raw)) this.beginWith(raw);
    const { thresholds, rulesOff, mutedCards } = this.settings();
    const { history: before } = this.memory;
    const step = watchAlerts(
      this.memory,
      raw,
      { thresholds, rulesOff, mutedCards: mutedIndices(raw.cards, mutedCards) },
      this.endedPids(),
    );
    this.memory = step.memory;
    const seen = step.oomExits;
    if (seen.length > 0) this.oomExits = [...this.oomExits, ...seen].slice(-keptOomExits);
    const shown: Snapshot = { ...raw, alerts: step.alerts };
    this.newest = { raw, shown };
    if (step.memory.history !== before) {
      if (raw.source.kind === 'machine') this.historyStore.save(step.memory.history);
      this.tellChange();
    } else if (seen.length > 0) this.tellChange();
    for (const listener of this.listeners) listener(shown);
    if (step.raised.length > 0) for (const listener of this.raisedListeners) listener(step.raised, shown);
  }

  /**
   * The first Snapshot, or one of another machine or scene: what stood before stands no more. A scene begins without a
   * past, this machine's cards with what is remembered of them. Snoozes stay.
   */
  private beginWith({ source }: WorkstationState): void {
    const history = source.kind === 'machine' ? this.historyStore.saved().map(settled) : [];
    this.memory = { ...noAlerts, snoozedUntil: this.memory.snoozedUntil, history };
    this.oomExits = [];
    this.tellChange();
  }

  private endedPids(): ReadonlySet<number> {
    const now = this.clock();
    for (const [pid, until] of this.ended) if (until < now) this.ended.delete(pid);
    return new Set(this.ended.keys());
  }

  private tellChange(): void {
    const state = this.state();
    for (const listener of this.changeListeners) listener(state);
  }
}

/** Nobody saw how it ended. */
function settled(record: AlertRecord): AlertRecord {
  return record.endedAt === null ? { ...record, endedAt: record.alert.since } : record;
}

function isSameMachine(before: WorkstationState | null, now: WorkstationState): boolean {
  return (
    before !== null && before.source.kind === now.source.kind && before.source.sceneId === now.source.sceneId
  );
}
