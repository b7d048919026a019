import type { AlertRule } from '../alerts/rules';
import type { Severity } from '../alerts/severity';
import type { CardReading, GpuProcess, Problem } from '../gpu/types';
import type { Message } from '../i18n/message';
import type { Job } from '../jobs/types';

/** One card of a Snapshot: nvidia-smi's reading and what we know beside it. */
export interface Card extends CardReading {
  readonly index: number;
  /** CUDA's ordinal under the default order (fastest first is CUDA's, bus order nvidia-smi's); null where not known. */
  readonly cudaOrdinal: number | null;
  /** The card was there and no longer answers; its last reading is kept. */
  readonly lost: boolean;
  /** When this reading was made (seconds since the epoch): that of a lost card is its last; null: not known. */
  readonly readAt: number | null;
  /**
   * It has no memory of its own (GB10, Jetson): total, used and free are those of the host's memory, which programs
   * outside of the card use, too.
   */
  readonly sharesHostMemory: boolean;
}

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

/**
 * The outlook of one card (`pid` null), or of one process on it: what grows there adds up, so all that grow towards the card's end
 * share its time left. Rates are bytes a second, times seconds.
 */
export interface Forecast {
  readonly gpuIndex: number;
  readonly pid: number | null;
  readonly state: 'steady' | 'growing' | 'spiky' | 'unknown';
  readonly slopeBytesPerSecond: number | null;
  readonly etaSeconds: number | null;
  readonly risingForSeconds: number | null;
  /** Whether the rise is soon or long and even enough for an alert. */
  readonly willFill: boolean;
  /** Whether the rise may be weights on their way to the card, which stops by itself. */
  readonly mayBeLoading: boolean;
  /** Between these the end lies by all that was seen; null where none is foretold. */
  readonly etaRangeSeconds: readonly [number, number] | null;
  /** The processes whose growth adds up to that end; empty where only memory grows that no listed process holds. */
  readonly growingPids: readonly number[];
  /** The alert about a card, as long as it stands; null of a process. */
  readonly announced: {
    readonly at: number;
    /** The time that was left then. */
    readonly etaSeconds: number;
    /** 1, and one more each time that the same growth is announced again. */
    readonly number: number;
    /** The processes that grew then; empty where only memory did that no listed process holds. */
    readonly pids: readonly number[];
  } | null;
}

export interface Imbalance {
  readonly kind: string;
  readonly gpuIndices: readonly number[];
  readonly jobIds: readonly string[];
  readonly what: Message;
  readonly why: Message;
  readonly remedy: Message;
}

export interface Alert {
  readonly id: string;
  readonly rule: AlertRule;
  readonly severity: Severity;
  readonly gpuIndex: number | null;
  readonly jobId: string | null;
  /** The title of the job or script that it is about, where there is one. */
  readonly jobTitle: string | null;
  readonly text: Message;
  readonly since: number;
}

/** Where the readings come from: the machine's own nvidia-smi, or a scene played by the stand-in. */
export type SnapshotOrigin =
  | { readonly kind: 'machine'; readonly sceneId: null }
  | { readonly kind: 'simulated'; readonly sceneId: string };

/**
 * Everything known at one moment, immutable; the only thing that flows from sensing to history, alerts, tray, views
 * and `headroom watch`. `time` is seconds since the epoch.
 */
export interface Snapshot {
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
  readonly alerts: readonly Alert[];
  readonly problems: readonly Problem[];
}
