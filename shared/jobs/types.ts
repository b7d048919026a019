import type { Message } from '../i18n/message';
import type { Parentage } from './parentage';
import type { SignName } from './stale/evidence';

/** Identity of a process: a pid alone is reused, a pid with its start time and user is not. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Clock ticks since boot (field 22 of /proc/PID/stat) on Linux; the creation time elsewhere. */
  readonly startTime: number;
  readonly uid: number | null;
}

/** R running, S sleeping, D uninterruptible, T stopped, t traced, Z zombie, I idle; X dead. */
export type ProcessState = 'R' | 'S' | 'D' | 'T' | 't' | 'Z' | 'I' | 'X' | 'unknown';

/** The groups of facts that the operating system may refuse to tell of a process. */
export type FactGroup =
  'process' | 'command' | 'environment' | 'openFiles' | 'inputOutput' | 'cgroup' | 'workingFolder';

/**
 * Why facts are missing. `gone`: the process ended, or its pid was never one of this machine's; `otherNamespace`: it
 * lives outside the container that Headroom runs in, so its pid means another process here or none; `notRead`: left
 * out for now to keep sensing cheap; `notOffered`: this operating system does not tell it.
 */
export type UnreadableReason = 'permission' | 'gone' | 'otherNamespace' | 'notRead' | 'notOffered';

export interface Unreadable {
  readonly facts: FactGroup;
  readonly reason: UnreadableReason;
}

/**
 * What the operating system says of one process. Unknown is null; `unreadable` names what is missing and why. Without
 * a start time the process has no identity and must never be signalled.
 */
export interface ProcessFacts extends Omit<ProcessIdentity, 'startTime'> {
  readonly startTime: number | null;
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
  /** The pipe that children of one Python parent share (multiprocessing's resource tracker); null for other processes. */
  readonly spawnFamily: string | null;
  readonly writesCheckpoint: boolean | null;
  readonly environment: RankEnvironment | null;
  readonly unreadable: readonly Unreadable[];
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
  readonly slurmStepId: string | null;
  readonly cudaVisibleDevices: string | null;
  /** Usually `none` (torchrun's default), so it never tells two runs apart alone. */
  readonly torchelasticRunId: string | null;
  /** The folder torchrun makes for each run (of TORCHELASTIC_ERROR_FILE): the same for all ranks, new for each run. */
  readonly torchelasticRunFolder: string | null;
  /** The id of the plan whose launch files started it; see shared/launch/savedPlan.ts. */
  readonly headroomPlan: string | null;
}

/** Who started a member: another member, or as `Parentage` says. */
export type MemberOrigin = 'member' | Parentage;

export type JobRole = 'launcher' | 'rank' | 'worker' | 'notebook' | 'process';

export interface JobMember {
  readonly process: ProcessFacts;
  readonly role: JobRole;
  readonly rank: number | null;
  readonly origin: MemberOrigin;
  /** nvidia-smi lists it, with its memory or without (`[N/A]` under WSL2, vGPU and MIG in a container). */
  readonly listed: boolean;
  /** nvidia-smi indices of the cards it holds memory on, with the bytes; null bytes where the driver does not say. */
  readonly cards: readonly { readonly gpuIndex: number; readonly usedBytes: number | null }[];
}

export type JobVerdict = 'healthy' | 'idle' | 'suspect' | 'stale';

/** One sign for or against a job being stale; `sign` is stable, `weight` 0..1. */
export interface StaleReason {
  readonly sign: SignName;
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

/** What an ending sends; SIGCONT wakes a stopped process so that it can end by itself. */
export type EndingSignal = 'SIGTERM' | 'SIGCONT' | 'SIGKILL';
