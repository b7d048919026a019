import type { Message } from '../i18n/message';

/** Identity of a process: a pid alone is reused, a pid with its start time and user is not. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since boot (field 22 of /proc/PID/stat) on Linux; the creation time elsewhere. */
  readonly startTime: number;
  readonly uid: number | null;
}

/** R running, S sleeping, D uninterruptible, T stopped, t traced, Z zombie, I idle; X dead. */
export type ProcessState = 'R' | 'S' | 'D' | 'T' | 't' | 'Z' | 'I' | 'X' | 'unknown';

/** What the operating system says of one process. Unknown is null; `unreadable` names what was refused and why. */
export interface ProcessFacts extends ProcessIdentity {
  readonly parentPid: number | null;
  readonly processGroup: number | null;
  readonly session: number | null;
  readonly terminal: number | null;
  readonly user: string | null;
  readonly state: ProcessState;
  readonly name: string;
  readonly command: readonly string[] | null;
  readonly workingFolder: string | null;
  readonly startedAt: number | null;
  readonly residentBytes: number | null;
  readonly cpuPercent: number | null;
  readonly cpuSeconds: number | null;
  readonly ioBytes: number | null;
  readonly cgroup: string | null;
  /** /dev/nvidia* files held open, or null where /proc/PID/fd may not be read. */
  readonly openDevices: readonly string[] | null;
  readonly writesCheckpoint: boolean | null;
  readonly environment: RankEnvironment | null;
  readonly unreadable: readonly string[];
}

/** The variables of a launcher that tell which rank a process is. */
export interface RankEnvironment {
  readonly rank: number | null;
  readonly localRank: number | null;
  readonly worldSize: number | null;
  readonly localWorldSize: number | null;
  readonly masterAddress: string | null;
  readonly masterPort: number | null;
  readonly slurmJobId: string | null;
  readonly cudaVisibleDevices: string | null;
  readonly torchelasticRunId: string | null;
}

export type JobRole = 'launcher' | 'rank' | 'worker' | 'notebook' | 'process';

export interface JobMember {
  readonly process: ProcessFacts;
  readonly role: JobRole;
  readonly rank: number | null;
  /** nvidia-smi indices of the cards it holds memory on, with the bytes; null bytes where the driver does not say. */
  readonly cards: readonly { readonly gpuIndex: number; readonly usedBytes: number | null }[];
}

export type JobVerdict = 'healthy' | 'idle' | 'suspect' | 'stale';

/** One sign for or against a job being stale. `sign` is stable, `weight` 0..1. */
export interface StaleReason {
  readonly sign: string;
  readonly text: Message;
  readonly weight: number;
}

export interface Job {
  /** Stable while the job lives: made of the oldest member's pid and start time. */
  readonly id: string;
  readonly title: string;
  readonly user: string | null;
  readonly kind:
    | 'torchrun'
    | 'accelerate'
    | 'deepspeed'
    | 'slurm'
    | 'mpi'
    | 'spawn'
    | 'notebook'
    | 'container'
    | 'desktop'
    | 'single';
  readonly members: readonly JobMember[];
  readonly worldSize: number | null;
  readonly memoryBytes: number | null;
  readonly residentBytes: number | null;
  readonly cpuPercent: number | null;
  readonly startedAt: number | null;
  readonly verdict: JobVerdict;
  readonly idleSince: number | null;
  readonly reasons: readonly StaleReason[];
  readonly against: readonly StaleReason[];
  readonly ownedByMe: boolean | null;
}
