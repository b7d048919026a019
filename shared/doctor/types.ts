import type { Message } from '../i18n/message';
import type { Cause } from './causes';
import type { Format } from './format';

/** What kind of trouble a failure is; that of its first cause, or of its grammar where no cause can be named. */
export type FailureKind =
  'oom' | 'host-oom' | 'shm' | 'nccl' | 'driver' | 'not-memory' | 'leak' | 'zombie' | 'other';

export interface ListedProcess {
  readonly pid: number;
  readonly bytes: number;
}

/**
 * The numbers of a message, each as printed. Two may be derived, and no others: `reservedBytes` = allocated +
 * unallocated, and `unallocatedBytes` = reserved - allocated, where only the other is printed.
 */
export interface Facts {
  readonly gpuIndex: number | null;
  readonly triedBytes: number | null;
  readonly capacityBytes: number | null;
  readonly freeBytes: number | null;
  readonly allocatedBytes: number | null;
  readonly reservedBytes: number | null;
  /** Reserved by the allocator and not in use; PyTorch up to 1.3 called it "cached". */
  readonly unallocatedBytes: number | null;
  /** A software limit in force: the memory fraction, or MPS's high watermark. */
  readonly allowedBytes: number | null;
  readonly privatePoolBytes: number | null;
  readonly thisProcessBytes: number | null;
  readonly processes: readonly ListedProcess[];
}

export const noFacts: Facts = {
  gpuIndex: null,
  triedBytes: null,
  capacityBytes: null,
  freeBytes: null,
  allocatedBytes: null,
  reservedBytes: null,
  unallocatedBytes: null,
  allowedBytes: null,
  privatePoolBytes: null,
  thisProcessBytes: null,
  processes: [],
};

/** What a grammar read beside the facts: an exit code, a pid, a sequence number, the name of a killed process. */
type Details = Readonly<Record<string, number | string>>;

export interface JudgedCause {
  readonly cause: Cause;
  /** 0 to 1: how often this cause is right where the text looks like this. */
  readonly confidence: number;
  readonly evidence: readonly Message[];
  readonly fixes: readonly Fix[];
}

/** One thing to change: what to do, and a line to copy for it (a flag, a call, a command) where there is one. */
export interface Fix {
  readonly text: Message;
  readonly setting: string | null;
}

/** What a failure is about, to tell messages of one failure from those of two. */
export type Story =
  | 'gpu-oom'
  | 'host-oom'
  | 'shm'
  | 'nccl-oom'
  | 'nccl-wait'
  | 'driver'
  | 'not-memory'
  | 'program-error'
  | 'traceback'
  | 'zombie'
  | 'process-table'
  | 'memory-line'
  | 'context';

/**
 * Whether a message is a failure of its own, only what another failure looks like from where it was printed, or no
 * failure at all but something worth knowing about the machine.
 */
export type Role = 'cause' | 'consequence' | 'context';

export interface Failure {
  readonly kind: FailureKind;
  /** The grammar's name, as in research/oom.md or in its manner. */
  readonly format: Format;
  /** 1-based line of the text where the message begins. */
  readonly line: number;
  readonly rank: number | null;
  readonly facts: Facts;
  readonly causes: readonly JudgedCause[];
  /** What the message says and what to do, where it is clear and no cause of the list fits; else null. */
  readonly meaning: Message | null;
  readonly notHelpful: readonly Message[];
  readonly missing: readonly Message[];
  readonly details: Details;
  readonly role: Role;
  /** How often the same message was printed, this one included. */
  readonly occurrences: number;
  /** The message as it stands in the text, cut after a few lines. */
  readonly excerpt: string;
}

export interface Diagnosis {
  readonly failures: readonly Failure[];
  /** Index of the failure from which the others follow; null where there is none. */
  readonly rootFailure: number | null;
  readonly lines: number;
}
