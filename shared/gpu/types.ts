import type { Message } from '../i18n/message';
import type { ProblemCode } from './problems';

/** Why something could not be read or is wrong, with what to do; `code` is stable, the texts are translated. */
export interface Problem {
  readonly code: ProblemCode;
  readonly gpuIndex: number | null;
  /** What it names: a card by index or bus id, a field of a query, a reason; null where it names nothing. */
  readonly subject: string | null;
  readonly message: Message;
  readonly remedy: Message;
}

/** A MIG device of a card: one compute instance, which a program sees as a card of its own. */
export interface MigSlice {
  /** The place among the card's MIG devices, as `CUDA_VISIBLE_DEVICES` and `-L` count. */
  readonly index: number | null;
  readonly uuid: string | null;
  /** `1g.10gb`, `1c.3g.71gb`. */
  readonly profile: string | null;
  readonly gpuInstance: number | null;
  readonly computeInstance: number | null;
  readonly memoryTotalBytes: number | null;
  readonly memoryUsedBytes: number | null;
}

/** What nvidia-smi says of one card. Unknown is null, never 0. */
export interface CardReading {
  readonly index: number | null;
  readonly uuid: string | null;
  readonly name: string | null;
  readonly pciBusId: string | null;
  readonly memoryTotalBytes: number | null;
  readonly memoryUsedBytes: number | null;
  readonly memoryFreeBytes: number | null;
  /** The driver's own reserve, not usable by programs. */
  readonly memoryReservedBytes: number | null;
  readonly utilizationPercent: number | null;
  readonly temperatureC: number | null;
  readonly powerWatts: number | null;
  readonly powerLimitWatts: number | null;
  readonly fanPercent: number | null;
  readonly smClockMHz: number | null;
  readonly memoryClockMHz: number | null;
  /** Reasons why clocks are held down that a person may want to know, e.g. `sw_thermal_slowdown`. */
  readonly throttleReasons: readonly string[];
  readonly eccUncorrectedErrors: number | null;
  readonly persistenceMode: boolean | null;
  readonly computeMode: string | null;
  readonly mig: readonly MigSlice[];
}

/** A process as nvidia-smi lists it on a card. `gpuIndex` is nvidia-smi's index; C, G or C+G in `type`. */
export interface GpuProcess {
  readonly gpuIndex: number | null;
  /** What `--query-compute-apps` gives instead of an index; the sampler joins it with the cards. */
  readonly gpuUuid: string | null;
  readonly pid: number | null;
  readonly type: string | null;
  readonly name: string | null;
  readonly usedBytes: number | null;
  readonly gpuInstance: number | null;
  readonly computeInstance: number | null;
}

/**
 * A connection. `topo -m`: each pair of devices once (`GPU0`, `NIC1`), `kind` is the printed code (`NV12`, `PHB`).
 * `nvlink -s` does not say where a link leads: `to` is null and `kind` is the printed speed or state.
 */
export interface CardLink {
  readonly from: string;
  readonly to: string | null;
  readonly kind: string;
  /** The number of the NVLink on its card; null where the output has one entry a pair. */
  readonly link: number | null;
}

/** Which of nvidia-smi's outputs a text is; `error`: only a failure was printed, `unknown`: not nvidia-smi's. */
export type OutputFormat =
  | 'xml'
  | 'table'
  | 'query-text'
  | 'csv-gpu'
  | 'csv-apps'
  | 'csv-accounted'
  | 'list'
  | 'topo'
  | 'pmon'
  | 'dmon'
  | 'nvlink'
  | 'version'
  | 'mig'
  | 'error'
  | 'unknown';

/** All that one output of nvidia-smi says; of a looped output the newest state. */
export interface GpuReading {
  readonly format: OutputFormat;
  readonly driverVersion: string | null;
  readonly cudaVersion: string | null;
  readonly cards: readonly CardReading[];
  readonly processes: readonly GpuProcess[];
  readonly links: readonly CardLink[];
  readonly problems: readonly Problem[];
}

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
