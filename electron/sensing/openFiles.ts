/**
 * Which device files and checkpoints processes hold open. Reading every process's links costs some 20 ms, so each is
 * read now and then, at a moment of its own: at once and every ten seconds where it is on a card, once a minute
 * elsewhere (a data-loader worker never gives back what it inherited). All of them where memory is unexplained.
 */
import type { UnreadableReason } from '../../shared/jobs/types';
import { spreadDue, type ReadingMoment } from './cadence';
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

interface Entry {
  readonly startTime: number;
  /** When it was last read, and how long that holds; for a newcomer when it came. */
  readonly readAt: number;
  readonly periodMs: number;
  readonly files: OpenFiles;
}

export class OpenFilesReader {
  private readonly known = new Map<number, Entry>();
  private readonly holding = new Set<number>();
  private allReadAt: number | null = null;

  constructor(
    private readonly procFolder: string,
    private readonly devicePrefix: string,
  ) {}

  /** Takes in who has come and who has ended since the last look, and reads those that are due, or all where `suspicious`. */
  update(
    { arrived, ended }: { readonly arrived: readonly KnownProcess[]; readonly ended: readonly number[] },
    onCards: ReadonlySet<number>,
    suspicious: boolean,
    { now, slowness }: ReadingMoment,
  ): void {
    for (const pid of ended) this.forget(pid);
    for (const { pid, startTime } of arrived)
      this.known.set(pid, { startTime, readAt: now, periodMs: newcomerMs, files: notRead });
    const all = this.allReadAt === null || (suspicious && now - this.allReadAt >= suspicionMs);
    if (all) this.allReadAt = now;
    for (const pid of onCards) {
      const entry = this.known.get(pid);
      if (!all && entry?.files.reason === 'notRead') this.readProcess(pid, entry, true, now);
    }
    for (const [pid, entry] of this.known)
      if (isDue(pid, entry, now, slowness) || (all && entry.files.reason !== 'permission'))
        this.readProcess(pid, entry, onCards.has(pid), now);
  }

  of({ pid, startTime }: KnownProcess): OpenFiles {
    const entry = this.known.get(pid);
    return entry !== undefined && entry.startTime === startTime ? entry.files : notRead;
  }

  /** The pids that hold a card's device file open, as far as they may be read. */
  holders(): ReadonlySet<number> {
    return this.holding;
  }

  private readProcess(
    pid: number,
    { startTime, files: before }: Entry,
    isOnCard: boolean,
    now: number,
  ): void {
    const read = this.readFiles(pid);
    const files = isSame(before, read) ? before : read;
    // Links that were refused stay refused for as long as the process keeps its user.
    const isQuick = files.reason !== 'permission';
    const periodMs = isQuick && isOnCard ? onCardMs : otherMs;
    this.known.set(pid, { startTime, readAt: now, periodMs, files });
    if (holdsCard(files)) this.holding.add(pid);
    else this.holding.delete(pid);
  }

  private forget(pid: number): void {
    this.known.delete(pid);
    this.holding.delete(pid);
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
}

function isDue(pid: number, { readAt, periodMs, files }: Entry, now: number, slowness: number): boolean {
  // A newcomer waits no longer because nobody looks: most that hold a card do so from their first seconds on.
  return now >= spreadDue(pid, files === notRead ? periodMs : periodMs * slowness, readAt);
}

function isSame(left: OpenFiles, right: OpenFiles): boolean {
  return (
    left.reason === right.reason &&
    left.writesCheckpoint === right.writesCheckpoint &&
    left.devices?.join('\n') === right.devices?.join('\n')
  );
}

function holdsCard({ devices }: OpenFiles): boolean {
  return devices !== null && devices.some((device) => /^\/dev\/nvidia\d+$/.test(device));
}
