import type { SnapshotOrigin } from '../../shared/snapshot/types';
import type { Problem } from '../../shared/gpu/types';
import type { ProgramCall } from '../programs/programCall';
import { readDeviceMinors } from './deviceMinors';
import { findNvidiaSmi } from './findNvidiaSmi';
import { missingProblems } from './smiProblems';

/** How nvidia-smi is called, or why it cannot be. */
export type SmiLocation =
  | { readonly kind: 'found'; readonly call: ProgramCall }
  | { readonly kind: 'missing'; readonly problems: readonly Problem[] };

/** What the sampler reads: this machine's cards, or a scene. It is open from the moment it is made until `stop`. */
export interface SamplerBackend {
  readonly origin: SnapshotOrigin;
  /** How many of its seconds pass in one of the clock. */
  readonly speed: number;
  /** What the device files of its cards are called, up to their number. */
  readonly devicePrefix: string;
  /** The minor number of each card that the driver lists, by bus id. */
  readonly minors: ReadonlyMap<string, number>;
  /** Looks for nvidia-smi; one that is missing may be installed while we run. */
  locate(): SmiLocation;
  /** Ends what belongs to it; resolves when that is gone. */
  stop(): Promise<void>;
}

export interface BackendChoice {
  /** The scene to play; null: this machine's cards. */
  readonly sceneId: string | null;
  /** The nvidia-smi that a person chose; null: the usual places. */
  readonly nvidiaSmiPath: string | null;
}

/** The backends that there are. */
export interface Backends {
  has(sceneId: string): boolean;
  /** Throws where there is no such scene, or where it cannot be set up. */
  open(choice: BackendChoice): SamplerBackend;
}

/** This machine's cards through its own nvidia-smi. */
export function machineBackend(nvidiaSmiPath: string | null, procFolder: string): SamplerBackend {
  return {
    origin: { kind: 'machine', sceneId: null },
    speed: 1,
    devicePrefix: '/dev/nvidia',
    minors: readDeviceMinors(procFolder),
    locate() {
      const path = findNvidiaSmi(nvidiaSmiPath);
      return path === null
        ? { kind: 'missing', problems: missingProblems(nvidiaSmiPath) }
        : { kind: 'found', call: { command: path, leadingArguments: [], environment: {} } };
    },
    stop: () => Promise.resolve(),
  };
}
