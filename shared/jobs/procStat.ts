/** Texts of Linux's /proc as facts. Fields: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
import { planIdOf, planVariable } from '../planVariable';
import type { ProcessState, RankEnvironment } from './types';

/** What one line of /proc/PID/stat says; times in clock ticks, memory in pages. */
export interface ProcStat {
  readonly pid: number;
  /** The short name, at most 15 bytes. */
  readonly name: string;
  readonly state: ProcessState;
  readonly parentPid: number;
  readonly processGroup: number;
  readonly session: number;
  readonly terminal: number;
  /** A thread of the kernel, which runs no program. */
  readonly isKernelThread: boolean;
  readonly cpuTicks: number;
  readonly startTime: number;
  readonly residentPages: number;
}

const states: ReadonlySet<string> = new Set(['R', 'S', 'D', 'T', 't', 'Z', 'I', 'X']);

/** PF_KTHREAD in the kernel's include/linux/sched.h. */
const kernelThreadFlag = 0x0020_0000;

function isState(text: string): text is ProcessState {
  return states.has(text);
}

/**
 * The facts in a line of /proc/PID/stat, or null where the line is cut or no such line. The name may hold blanks and
 * brackets, so fields are counted after the last `)`.
 */
export function parseProcStat(line: string): ProcStat | null {
  const open = line.indexOf('(');
  const close = line.lastIndexOf(')');
  if (open < 1 || close < open) return null;
  const pid = Number(line.slice(0, open));
  // Field 3, the state, comes first here; field n of the manual is at n - 3.
  // Only those up to the last that is asked for: some hundred lines are read a second.
  const fields = line.slice(close + 2, close + 400).split(' ', 22);
  const state = fields[0] ?? '';
  const field = (number: number): number => Number(fields[number - 3] ?? NaN);
  const residentPages = field(24);
  if (!Number.isSafeInteger(pid) || !Number.isFinite(residentPages) || !Number.isFinite(field(22)))
    return null;
  return {
    pid,
    name: line.slice(open + 1, close),
    state: isState(state) ? state : 'unknown',
    parentPid: field(4),
    processGroup: field(5),
    session: field(6),
    terminal: field(7),
    isKernelThread: (field(9) & kernelThreadFlag) !== 0,
    cpuTicks: field(14) + field(15),
    startTime: field(22),
    residentPages,
  };
}

/** The words of /proc/PID/cmdline; null for an empty one, as kernel threads and zombies have. */
export function parseCommand(text: string): readonly string[] | null {
  const words = (text.endsWith('\0') ? text.slice(0, -1) : text).split('\0');
  // A title set by the program itself fills the rest with blanks and has no separators.
  const trimmed = words.map((word, at) => (at === words.length - 1 ? word.trimEnd() : word));
  return trimmed.every((word) => word === '') ? null : trimmed;
}

/** The descriptor in `spawn_main(tracker_fd=5, pipe_handle=7)`, as Python's multiprocessing starts a child; null for others. */
export function trackerDescriptor(command: readonly string[] | null): number | null {
  const call = command?.find((word) => word.startsWith('from multiprocessing.spawn'));
  const match = /\bspawn_main\(tracker_fd=(\d{1,7})\b/.exec(call ?? '');
  return match === null ? null : Number(match[1]);
}

/** The uid in /proc/PID/status (the real one, the first of four), or null. */
export function parseStatusUid(text: string): number | null {
  const match = /^Uid:\s*(\d+)/m.exec(text);
  return match === null ? null : Number(match[1]);
}

/** Bytes read and written through system calls, from /proc/PID/io; null where it says nothing. */
export function parseIoBytes(text: string): number | null {
  const read = /^rchar:\s*(\d+)/m.exec(text);
  const written = /^wchar:\s*(\d+)/m.exec(text);
  return read === null || written === null ? null : Number(read[1]) + Number(written[1]);
}

/**
 * The path of /proc/PID/cgroup that says most: the unified hierarchy's (`0::/…`), else the longest. Null for none.
 */
export function parseCgroup(text: string): string | null {
  const paths = text
    .split('\n')
    .map((line) => /^(\d+):[^:]*:(\/.*)$/.exec(line))
    .flatMap((match) => (match === null ? [] : [{ id: match[1], path: match[2] ?? '/' }]));
  const unified = paths.find(({ id }) => id === '0')?.path ?? '/';
  if (unified !== '/') return unified;
  const longest = paths
    .map(({ path }) => path)
    .reduce((best, path) => (path.length > best.length ? path : best), '');
  return longest === '' ? null : longest;
}

/**
 * The launcher's variables in /proc/PID/environ. Ranks of MPI and of Slurm are taken where torch's own variables are
 * absent. Variables that a program sets for itself after its start do not show there.
 */
export function parseRankEnvironment(text: string): RankEnvironment {
  const values = new Map<string, string>();
  // What no NUL ends was cut by the reader's limit: WORLD_SIZE=1 of WORLD_SIZE=16 would be a wrong answer.
  for (const entry of text.split('\0').slice(0, -1)) {
    const equals = entry.indexOf('=');
    if (equals > 0) values.set(entry.slice(0, equals), entry.slice(equals + 1));
  }
  const string = (...names: readonly string[]): string | null =>
    names.map((name) => values.get(name)).find((value) => value !== undefined && value !== '') ?? null;
  const count = (...names: readonly string[]): number | null => {
    const value = string(...names);
    return value !== null && /^\d{1,9}$/.test(value) ? Number(value) : null;
  };
  // A shell inside an allocation has SLURM_PROCID 0 as well: it is a rank only where the step has several tasks.
  const slurmRanks = (count('SLURM_NTASKS') ?? 1) > 1 && string('SLURM_STEP_ID') !== null;
  // Lightning's launcher numbers its children by LOCAL_RANK and NODE_RANK alone.
  const localOnly = count('WORLD_SIZE') !== null && (count('NODE_RANK') ?? 0) === 0;
  return {
    rank: count(
      'RANK',
      'OMPI_COMM_WORLD_RANK',
      'PMI_RANK',
      ...(slurmRanks ? ['SLURM_PROCID'] : []),
      ...(localOnly ? ['LOCAL_RANK'] : []),
    ),
    localRank: count(
      'LOCAL_RANK',
      'OMPI_COMM_WORLD_LOCAL_RANK',
      'MPI_LOCALRANKID',
      ...(slurmRanks ? ['SLURM_LOCALID'] : []),
    ),
    worldSize: count(
      'WORLD_SIZE',
      'OMPI_COMM_WORLD_SIZE',
      'PMI_SIZE',
      ...(slurmRanks ? ['SLURM_NTASKS'] : []),
    ),
    localWorldSize: count('LOCAL_WORLD_SIZE', 'OMPI_COMM_WORLD_LOCAL_SIZE', 'MPI_LOCALNRANKS'),
    masterAddress: string('MASTER_ADDR'),
    masterPort: count('MASTER_PORT'),
    slurmJobId: string('SLURM_JOB_ID', 'SLURM_JOBID'),
    slurmStepId: string('SLURM_STEP_ID', 'SLURM_STEPID'),
    cudaVisibleDevices: values.get('CUDA_VISIBLE_DEVICES') ?? null,
    torchelasticRunId: string('TORCHELASTIC_RUN_ID'),
    torchelasticRunFolder: runFolder(string('TORCHELASTIC_ERROR_FILE')),
    headroomPlan: planIdOf(string(planVariable)),
  };
}

/** `…/torchelastic_x/none_y` of `…/torchelastic_x/none_y/attempt_0/1/error.json`: the same for all ranks of a run. */
function runFolder(errorFile: string | null): string | null {
  return errorFile === null ? null : (/^(.+)\/attempt_\d+\/\d+\/[^/]+$/.exec(errorFile)?.[1] ?? null);
}
