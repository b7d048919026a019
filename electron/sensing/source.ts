import type { History, HistoryRequest } from '../../shared/snapshot/history/history';
import type { Snapshot } from '../../shared/alerts/snapshot';
import type { WorkstationState } from '../../shared/snapshot/types';

/**
 * How closely somebody looks. `watched`: a window shows the readings. `background`: only alerts and the tray need
 * them, so readings may come more slowly.
 */
export type Attention = 'watched' | 'background';

/** What a source needs to know at its start; each can change later through the method named beside it. */
export interface SensingOptions {
  /** The scene to play through the stand-in nvidia-smi, or null for the machine's own. Changed by `chooseScene`. */
  readonly sceneId: string | null;
  /** How many times faster than the clock scenes pass; this machine's own cards are always read at 1. */
  readonly sceneSpeed: number;
  /** Seconds between readings while watched. Changed by `configure`. */
  readonly intervalSeconds: number;
  /** The nvidia-smi a person chose, or null to look in the usual places. Changed by `configure`. */
  readonly nvidiaSmiPath: string | null;
  /** What to wait for before anything is started; null: nothing. */
  readonly after: Promise<void> | null;
  /** Where to write what went wrong. No text from a command line or an environment may be passed unredacted. */
  readonly log: (level: 'info' | 'warn' | 'error', text: string) => void;
}

/**
 * Where Snapshots come from: the one thing main asks of sensing. Children, their restarts and /proc stay behind it.
 * Nothing here throws for a card, driver or nvidia-smi that is missing or broken: that is a Snapshot with `problems`.
 * Sensing gives the state of the workstation; with its alerts it is a Snapshot.
 */
export interface SnapshotSource<State extends WorkstationState = Snapshot> {
  /** Calls the listener with every new Snapshot, never during this call; returns what ends the subscription. */
  subscribe(listener: (snapshot: State) => void): () => void;
  /** The newest Snapshot, or null before the first. */
  latest(): State | null;
  /** The past that this source has seen, thinned to the asked width. */
  history(request: HistoryRequest): Promise<History>;
  /** The app ends this job: its end is marked as killed in the past. */
  markKilled(jobId: string): void;
  /** A source begins as `watched`, because at most starts a window follows at once. */
  setAttention(attention: Attention): void;
  /** Takes effect without losing history: the children are restarted where they must be. */
  configure(options: Pick<SensingOptions, 'intervalSeconds' | 'nvidiaSmiPath'>): void;
  /**
   * Ends what runs and starts the scene, or the machine's own nvidia-smi for null; history begins anew.
   * Rejects with an Error when no scene has that id; what ran before goes on then.
   */
  chooseScene(sceneId: string | null): Promise<void>;
  /** Ends every child; resolves when they are gone. Nothing is delivered afterwards. */
  dispose(): Promise<void>;
}

/** The factory that electron/sensing offers to main; returns at once, readings follow. */
export type StartSnapshotSource = (options: SensingOptions) => SnapshotSource<WorkstationState>;
