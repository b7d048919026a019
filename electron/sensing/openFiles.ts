/**
 * Which device files and checkpoints processes hold open. Reading every process's links costs some 20 ms, so each is
 * read now and then, at a moment of its own: at once and every ten seconds where it is on a card, once a minute
 * elsewhere (a data-loader worker never gives back what it inherited). All of them where memory is unexplained.
 */
import type { UnreadableReason } from '../../shared/jobs/types';
import { spreadDue } from './cadence';
import { listProcFolder, readProcFile, readProcLink } from './procfs';

export interface OpenFiles {
  /** Open device files under their usual names (`/dev/nvidia0`); null where they may not be read. */
  readonly devices: readonly string[] | null;
  /** Whether a checkpoint is open for writing; null where unknown. */
  readonly writesCheckpoint: boolean | null;
  readonly reason: UnreadableReason | null;
}

export interface KnownProcess {
  readonly pid: number;
  readonly startTime: number;
}

/** Of a process that has ended. */
export const noOpenFiles: OpenFiles = { devices: [], writesCheckpoint: false, reason: null };
const notRead: OpenFiles = { devices: null, writesCheckpoint: null, reason: 'notRead' };
const usualPrefix = '/dev/nvidia';
const onCardMs = 10_000;
const otherMs = 60_000;
/** A new process elsewhere is not looked at before it has lived so long; most have not. */
const newcomerMs = 6000;
/** How often all may be read while memory stays unexplained. */
const suspicionMs = 10_000;
const checkpointName = /\.(?:pt|pth|ckpt|bin|safetensors|distcp|h5|npz)(?:\.tmp\w*)?$/i;
/** More links than that are not looked at; a rank has some hundred. */
const mostLinks = 4096;

export class OpenFilesReader {
  private readonly known = new Map<number, { startTime: number; dueAt: number; files: OpenFiles }>();
  private allReadAt: number | null = null;

  constructor(
    private readonly procFolder: string,
    private readonly devicePrefix: string,
  ) {}

  /** Reads the processes that are due, or all where `suspicious`; forgets those that are gone. */
  update(
    processes: readonly KnownProcess[],
    onCards: ReadonlySet<number>,
    suspicious: boolean,
    now: number,
  ): void {
    const all = this.allReadAt === null || (suspicious && now - this.allReadAt >= suspicionMs);
    if (all) this.allReadAt = now;
    for (const process of processes) {
      const isOnCard = onCards.has(process.pid);
      if (this.isDue(process, isOnCard, all, now)) this.readProcess(process, isOnCard, now);
    }
    if (this.known.size > processes.length * 2 + 64) this.forgetGone(processes);
  }

  of(process: KnownProcess): OpenFiles {
    const entry = this.known.get(process.pid);
    return entry !== undefined && entry.startTime === process.startTime ? entry.files : notRead;
  }

  /** The processes that hold a card's device file open, as far as they may be read. */
  holders(processes: readonly KnownProcess[]): readonly number[] {
    return processes.filter((process) => holdsCard(this.of(process))).map(({ pid }) => pid);
  }

  private isDue({ pid, startTime }: KnownProcess, isOnCard: boolean, all: boolean, now: number): boolean {
    const entry = this.known.get(pid);
    if (entry === undefined || entry.startTime !== startTime) {
      if (isOnCard || all) return true;
      this.known.set(pid, { startTime, dueAt: spreadDue(pid, newcomerMs, now), files: notRead });
      return false;
    }
    if (isOnCard && entry.files.reason === 'notRead') return true;
    return entry.dueAt <= now || (all && entry.files.reason !== 'permission');
  }

  private readProcess({ pid, startTime }: KnownProcess, isOnCard: boolean, now: number): void {
    const files = this.readFiles(pid);
    // Links that were refused stay refused for as long as the process keeps its user.
    const isQuick = files.reason !== 'permission';
    const period = isQuick && isOnCard ? onCardMs : otherMs;
    this.known.set(pid, { startTime, dueAt: spreadDue(pid, period, now), files });
  }

  private readFiles(pid: number): OpenFiles {
    const folder = `${this.procFolder}/${pid}/fd`;
    const names = listProcFolder(folder);
    if (!names.ok) return { devices: null, writesCheckpoint: null, reason: names.reason };
    const devices = new Set<string>();
    let writesCheckpoint = false;
    for (const name of names.value.slice(0, mostLinks)) {
      const link = readProcLink(`${folder}/${name}`);
      if (!link.ok) continue;
      if (link.value.startsWith(this.devicePrefix))
        devices.add(usualPrefix + link.value.slice(this.devicePrefix.length));
      else if (!writesCheckpoint && checkpointName.test(link.value))
        writesCheckpoint = this.isOpenForWriting(pid, name);
    }
    return { devices: [...devices].sort(), writesCheckpoint, reason: null };
  }

  /** `flags:` in /proc/PID/fdinfo/FD is octal; its last digit holds the access mode (O_WRONLY 1, O_RDWR 2). */
  private isOpenForWriting(pid: number, descriptor: string): boolean {
    const info = readProcFile(`${this.procFolder}/${pid}/fdinfo/${descriptor}`);
    const flags = info.ok ? /^flags:\s*([0-7]+)/m.exec(info.value)?.[1] : undefined;
    return flags !== undefined && (Number.parseInt(flags, 8) & 3) !== 0;
  }

  private forgetGone(processes: readonly KnownProcess[]): void {
    const there = new Set(processes.map(({ pid }) => pid));
    for (const pid of this.known.keys()) if (!there.has(pid)) this.known.delete(pid);
  }
}

function holdsCard({ devices }: OpenFiles): boolean {
  return devices !== null && devices.some((device) => /^\/dev\/nvidia\d+$/.test(device));
}
