/**
 * The `stat` of every process but kernel threads, as fresh as it matters: each tick for what is on a card, every few
 * seconds for its relatives, more rarely for everything else. New pids are read at once, and what is gone is gone at
 * once. A process far from any card whose pid is reused is taken for the old one until it is read again.
 */
import { parseProcStat, type ProcStat } from '../../shared/jobs/procStat';
import { spreadDue, type ReadingMoment } from './cadence';
import { PidList } from './pidList';
import { KeptFile, readProcFile } from './procfs';

export interface ProcessStat extends ProcStat {
  /** The share of one core between the last two readings; null after the first. */
  readonly cpuPercent: number | null;
}

/** What a look found, and how it differs from the look before. */
export interface StatReading {
  /** All processes by pid. The same map at every look, brought up to date. */
  readonly stats: ReadonlyMap<number, ProcessStat>;
  /** Processes that were not there before; also where their pid was. */
  readonly arrived: readonly ProcessStat[];
  /** Pids whose process has gone or has ended, a pid that another process has now among them. */
  readonly ended: readonly number[];
  /** A process came or went, or has another parent or name: who is related to whom may be different. */
  readonly kinChanged: boolean;
  /** How many processes are listed whose `stat` may not be read. */
  readonly refused: number;
}

interface Entry {
  stat: ProcessStat;
  readAt: number;
  /** As it was read: what has not changed need not be parsed again. */
  text: string;
  /** Open where it is read often; null elsewhere. */
  file: KeptFile | null;
}

const nearMs = 5000;
const farMs = 20_000;
/** Kernel threads never come near a card. */
const kernelThreadMs = 30_000;
/** Clock ticks are 10 ms, so a shorter time tells nothing. */
const shortestSpanMs = 50;
/** Some systems allow a process a thousand open files. */
const mostKeptFiles = 256;

export class StatReader {
  private readonly known = new Map<number, Entry>();
  private readonly stats = new Map<number, ProcessStat>();
  private readonly pidList: PidList;
  private pids: readonly number[] = [];
  private kept = 0;
  /** Pids whose `stat` was refused at the last try. */
  private readonly refused = new Set<number>();
  private arrived: ProcessStat[] = [];
  private ended: number[] = [];
  private kinChanged = false;

  constructor(
    private readonly procFolder: string,
    private readonly ticksPerSecond: number,
    /** How many files may be kept open. */
    private readonly mostKept = mostKeptFiles,
  ) {
    this.pidList = new PidList(procFolder);
  }

  /** Looks at the processes: those in `onCards` as they are now. */
  read(onCards: ReadonlySet<number>, near: ReadonlySet<number>, moment: ReadingMoment): StatReading {
    const { now } = moment;
    this.arrived = [];
    this.ended = [];
    this.kinChanged = false;
    const pids = this.pidList.read(now);
    if (pids !== this.pids) this.forgetGone(pids);
    this.pids = pids;
    for (const pid of pids) {
      const entry = this.known.get(pid);
      const isOnCard = onCards.has(pid);
      const isNear = isOnCard || near.has(pid);
      if (entry === undefined || isOnCard || isOld(entry, isNear, moment))
        this.readOne(pid, entry, isNear, now);
    }
    const { stats, arrived, ended, kinChanged, refused } = this;
    return { stats, arrived, ended, kinChanged, refused: refused.size };
  }

  private readOne(pid: number, entry: Entry | undefined, isNear: boolean, now: number): void {
    const { text, file } = this.readText(pid, entry?.file ?? null, isNear);
    const isSame = entry !== undefined && text === entry.text;
    const read = isSame ? entry.stat : text === null ? null : parseProcStat(text);
    if (text === null || read === null) {
      if (file !== null) this.letGo(file);
      this.known.delete(pid);
      this.put(pid, null);
      return;
    }
    const cpuPercent = this.cpuPercent(entry, read, now);
    const stat = isSame && cpuPercent === entry.stat.cpuPercent ? entry.stat : { ...read, cpuPercent };
    const next = { stat, readAt: now, text, file };
    if (entry === undefined) this.known.set(pid, next);
    else Object.assign(entry, next);
    this.put(pid, stat.isKernelThread ? null : stat);
  }

  /** The text of `stat`, and the file to be kept open for the next time. */
  private readText(
    pid: number,
    before: KeptFile | null,
    isNear: boolean,
  ): { readonly text: string | null; readonly file: KeptFile | null } {
    const kept = before?.read() ?? null;
    if (before !== null && kept !== null && isNear) return { text: kept, file: before };
    // Not near any more; or the process that it was of has ended, and who has the pid now is told by the path.
    if (before !== null) this.letGo(before);
    const path = `${this.procFolder}/${pid}/stat`;
    const file = isNear && this.kept < this.mostKept ? KeptFile.open(path) : null;
    if (file !== null) {
      this.kept += 1;
      this.refused.delete(pid);
      return { text: file.read(), file };
    }
    const text = readProcFile(path);
    if (!text.ok && text.reason === 'permission') this.refused.add(pid);
    else this.refused.delete(pid);
    return { text: text.ok ? text.value : null, file: null };
  }

  private put(pid: number, stat: ProcessStat | null): void {
    const before = this.stats.get(pid) ?? null;
    if (stat === before) return;
    if (stat === null) this.stats.delete(pid);
    else this.stats.set(pid, stat);
    const isOther = before === null || stat === null || before.startTime !== stat.startTime;
    if (before !== null && (isOther || hasEnded(stat))) this.ended.push(pid);
    if (stat !== null && isOther) this.arrived.push(stat);
    this.kinChanged ||= isOther || before.parentPid !== stat.parentPid || before.name !== stat.name;
  }

  private cpuPercent(
    before: Entry | undefined,
    { startTime, cpuTicks }: ProcStat,
    now: number,
  ): number | null {
    if (before === undefined || before.stat.startTime !== startTime) return null;
    const span = now - before.readAt;
    if (span < shortestSpanMs) return before.stat.cpuPercent;
    const seconds = (cpuTicks - before.stat.cpuTicks) / this.ticksPerSecond;
    return Math.max(0, (100_000 * seconds) / span);
  }

  private letGo(file: KeptFile): void {
    file.close();
    this.kept -= 1;
  }

  private forgetGone(pids: readonly number[]): void {
    const there = new Set(pids);
    for (const pid of this.refused) if (!there.has(pid)) this.refused.delete(pid);
    for (const [pid, { file }] of this.known) {
      if (there.has(pid)) continue;
      if (file !== null) this.letGo(file);
      this.known.delete(pid);
      this.put(pid, null);
    }
  }
}

function isOld({ stat, readAt }: Entry, isNear: boolean, { now, slowness }: ReadingMoment): boolean {
  const period = stat.isKernelThread ? kernelThreadMs : isNear ? nearMs : farMs;
  return now >= spreadDue(stat.pid, period * slowness, readAt);
}

/** Whether a process has ended and was not collected yet. */
export function hasEnded({ state }: ProcStat): boolean {
  return state === 'Z' || state === 'X';
}
