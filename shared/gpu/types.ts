import type { Message } from '../i18n/message';

/** Why something could not be read or is wrong, with what to do; `code` is stable, the texts are translated. */
export interface Problem {
  readonly code: string;
  readonly gpuIndex: number | null;
  readonly message: Message;
  readonly remedy: Message;
}

export interface MigSlice {
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
  readonly pid: number | null;
  readonly type: string | null;
  readonly name: string | null;
  readonly usedBytes: number | null;
  readonly gpuInstance: number | null;
  readonly computeInstance: number | null;
}

export interface CardLink {
  readonly from: string;
  readonly to: string;
  readonly kind: string;
}
