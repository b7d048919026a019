import type { Forecast } from '../gpu/forecast/forecast';
import type { Card, GpuProcess, Problem } from '../gpu/types';
import type { Message } from '../i18n/message';
import type { Job } from '../jobs/types';

export interface HostReading {
  readonly hostname: string;
  readonly memoryTotalBytes: number | null;
  readonly memoryUsedBytes: number | null;
  readonly memoryAvailableBytes: number | null;
  readonly swapTotalBytes: number | null;
  readonly swapUsedBytes: number | null;
  readonly shmTotalBytes: number | null;
  readonly shmUsedBytes: number | null;
  readonly cpuPercent: number | null;
  readonly cpuCount: number | null;
  readonly topProcesses: readonly {
    readonly pid: number;
    readonly name: string;
    readonly residentBytes: number;
  }[];
}

export type ImbalanceKind =
  | 'everything-on-one-card'
  | 'data-parallel-master'
  | 'stray-contexts'
  | 'differing-rank'
  | 'jobs-on-one-card'
  | 'card-order';

export interface Imbalance {
  readonly kind: ImbalanceKind;
  readonly gpuIndices: readonly number[];
  readonly jobIds: readonly string[];
  readonly what: Message;
  readonly why: Message;
  readonly remedy: Message;
}

/** Where the readings come from: the machine's own nvidia-smi, or a scene played by the stand-in. */
export type SnapshotOrigin =
  | { readonly kind: 'machine'; readonly sceneId: null }
  | { readonly kind: 'simulated'; readonly sceneId: string };

/**
 * Everything known at one moment, immutable; the only thing that flows from sensing to history, alerts, tray, views
 * and `headroom watch`. `time` is seconds since the epoch.
 */
export interface WorkstationState {
  readonly time: number;
  /** When the cards were last read (seconds since the epoch), older than `time` while nvidia-smi is silent; null: never. */
  readonly cardsReadAt: number | null;
  /** Seconds between two readings at the pace that is asked for now; `time` and this count by the same clock. */
  readonly intervalSeconds: number;
  readonly source: SnapshotOrigin;
  readonly driverVersion: string | null;
  readonly cudaVersion: string | null;
  readonly cards: readonly Card[];
  readonly processes: readonly GpuProcess[];
  readonly jobs: readonly Job[];
  readonly host: HostReading;
  readonly forecast: readonly Forecast[];
  readonly imbalance: readonly Imbalance[];
  readonly problems: readonly Problem[];
}
