/**
 * Ends one job, step by step: ask the processes (SIGTERM), wait, force what is left (SIGKILL) after a second yes, then
 * watch until its memory is back. Identity is read again right before every signal; between that and the signal lie some
 * microseconds, which is the whole race (Node offers no pidfd).
 */
import type { EndingProgress, EndingReport, EndingSignal } from '../../shared/contract/ending';
import { message, type Message } from '../../shared/i18n/message';
import type { EndingPlan } from '../../shared/jobs/stale/ending';
import type { JobMember } from '../../shared/jobs/types';
import type { ProcessControl, Sent } from './processes';

export interface EndingPorts {
  readonly processes: ProcessControl;
  /** Asks before SIGKILL; `left` are the members that did not end. */
  readonly mayForce: (left: readonly JobMember[]) => Promise<boolean>;
  /** Bytes that nvidia-smi shows for these pids now; null where it cannot be asked. */
  readonly memoryOf: (pids: ReadonlySet<number>) => Promise<number | null>;
  readonly pause: (milliseconds: number) => Promise<void>;
  /** True once the person no longer wants to wait for the processes to end by themselves. */
  readonly isCutShort: () => boolean;
  readonly now: () => number;
  readonly onProgress: (progress: EndingProgress) => void;
  /** Told of every signal with what came of it, for the log. */
  readonly onSignal: (member: JobMember, signal: EndingSignal, sent: Sent) => void;
}

/** How long processes get to save and leave after SIGTERM. */
const politeSeconds = 15;
/** A launcher ends its ranks itself; what it has not reached by then is asked directly. */
const launcherSeconds = 4;
/** The driver gives memory back within a second or two of the last thread's end. */
const memorySeconds = 10;
const lookMs = 100;
/** Memory that fell and then stays is all that comes back: a Snapshot comes once a second. */
const steadyMs = 2500;

type Standing =
  | { readonly kind: 'lives'; readonly state: string }
  | { readonly kind: 'gone' }
  | { readonly kind: 'other'; readonly why: Message };

export async function endJob(plan: EndingPlan, ports: EndingPorts): Promise<EndingReport> {
  const started = ports.now();
  const pids = new Set(plan.ends.map(({ process }) => process.pid));
  const before = await ports.memoryOf(pids);
  const job = new Ending(plan, ports);
  await job.ask();
  await job.force();
  ports.onProgress({ phase: 'memory' });
  return {
    ...job.report(),
    memoryBackBytes: await memoryBack(pids, before, job.hasEndedSome(), ports),
    tookSeconds: (ports.now() - started) / 1000,
  };
}

/** Waits until nvidia-smi no longer shows the ended processes, and says how much came back. */
async function memoryBack(
  pids: ReadonlySet<number>,
  before: number | null,
  hasEndedSome: boolean,
  ports: EndingPorts,
): Promise<number | null> {
  if (before === null) return null;
  const deadline = ports.now() + memorySeconds * 1000;
  let left = await ports.memoryOf(pids);
  let changedAt = ports.now();
  const mayFall = (): boolean =>
    left === null || (left > 0 && (left >= before || ports.now() - changedAt < steadyMs));
  while (hasEndedSome && mayFall() && ports.now() < deadline) {
    await ports.pause(lookMs * 5);
    const now = await ports.memoryOf(pids);
    if (now !== left) changedAt = ports.now();
    left = now;
  }
  return left === null ? null : Math.max(0, before - left);
}

class Ending {
  /** The last signal each process got. */
  private readonly signals = new Map<number, EndingSignal>();
  private readonly refused = new Map<number, Message>();
  private readonly goneBefore = new Set<number>();

  constructor(
    private readonly plan: EndingPlan,
    private readonly ports: EndingPorts,
  ) {
    for (const member of plan.ends)
      if (this.standing(member).kind === 'gone') this.goneBefore.add(member.process.pid);
  }

  /** SIGTERM to the launcher, or to all where there is none; those a launcher does not reach are asked in turn. */
  async ask(): Promise<void> {
    const launchers = this.living().filter(({ role }) => role === 'launcher');
    const first = launchers.length > 0 ? launchers : this.living().filter(({ role }) => role !== 'worker');
    for (const member of first.length > 0 ? first : this.living()) this.terminate(member);
    const started = this.ports.now();
    const elapsed = (): number => (this.ports.now() - started) / 1000;
    this.tellAsked(politeSeconds);
    while (this.living().length > 0 && elapsed() < politeSeconds && !this.ports.isCutShort()) {
      if (elapsed() >= launcherSeconds)
        for (const member of this.living()) if (!this.signals.has(member.process.pid)) this.terminate(member);
      this.tellAsked(politeSeconds - elapsed());
      await this.ports.pause(lookMs);
    }
  }

  private tellAsked(secondsLeft: number): void {
    this.ports.onProgress({
      phase: 'asked',
      left: this.living().length,
      secondsLeft: Math.ceil(secondsLeft),
    });
  }

  /** SIGKILL to what is left, after a second yes. */
  async force(): Promise<void> {
    const left = this.living();
    if (left.length === 0) return;
    this.ports.onProgress({ phase: 'asking-to-force', left: left.length });
    if (!(await this.ports.mayForce(left))) return;
    for (const member of this.living()) this.send(member, 'SIGKILL');
    const deadline = this.ports.now() + 5000;
    while (this.living().length > 0 && this.ports.now() < deadline) {
      this.ports.onProgress({ phase: 'forcing', left: this.living().length });
      await this.ports.pause(lookMs);
    }
  }

  report(): Pick<EndingReport, 'ended' | 'remaining'> {
    const ended: EndingReport['ended'][number][] = [];
    const remaining: EndingReport['remaining'][number][] = [];
    for (const member of this.plan.ends) {
      const { pid } = member.process;
      const standing = this.standing(member);
      if (standing.kind === 'gone')
        ended.push({
          pid,
          signal: this.signals.get(pid) ?? null,
          result: this.goneBefore.has(pid) ? 'already-gone' : 'ended',
        });
      else
        remaining.push({
          pid,
          why: this.refused.get(pid) ?? whyItStays(pid, standing, this.signals.get(pid)),
        });
    }
    return {
      ended,
      remaining: [
        ...remaining,
        ...this.plan.keeps.map(({ member, why }) => ({ pid: member.process.pid, why })),
      ],
    };
  }

  /** Whether a signal of ours ended anybody, so that memory must come back. */
  hasEndedSome(): boolean {
    return this.report().ended.some(({ result }) => result === 'ended');
  }

  private living(): readonly JobMember[] {
    return this.plan.ends.filter((member) => this.standing(member).kind === 'lives');
  }

  /** A stopped process acts on SIGTERM only once it is continued. */
  private terminate(member: JobMember): void {
    const standing = this.standing(member);
    this.send(member, 'SIGTERM');
    if (standing.kind === 'lives' && (standing.state === 'T' || standing.state === 't'))
      this.send(member, 'SIGCONT');
  }

  private send(member: JobMember, signal: EndingSignal): void {
    const { pid } = member.process;
    if (this.standing(member).kind !== 'lives') return;
    const sent = this.ports.processes.signal(pid, signal);
    this.ports.onSignal(member, signal, sent);
    if (sent === 'refused') this.refused.set(pid, message('ending.refused', { pid: String(pid) }));
    if (sent === 'sent' && signal !== 'SIGCONT') this.signals.set(pid, signal);
  }

  /** What has this pid now: the process that was shown, nobody (a zombie has ended too), or somebody else. */
  private standing({ process }: JobMember): Standing {
    const identity = this.ports.processes.identify(process.pid);
    if (identity === null) return { kind: 'gone' };
    if (identity === 'unreadable')
      return { kind: 'other', why: message('ending.keepsUnknown', { pid: String(process.pid) }) };
    if (identity.startTime !== process.startTime || (process.uid !== null && identity.uid !== process.uid))
      return { kind: 'gone' };
    if (identity.state === 'Z' || identity.state === 'X') return { kind: 'gone' };
    return { kind: 'lives', state: identity.state };
  }
}

function whyItStays(pid: number, standing: Standing, signal: EndingSignal | undefined): Message {
  if (standing.kind === 'other') return standing.why;
  if (standing.kind === 'lives' && standing.state === 'D')
    return message('ending.uninterruptible', { pid: String(pid) });
  return signal === 'SIGKILL'
    ? message('ending.survivesKill', { pid: String(pid) })
    : message('ending.notForced', { pid: String(pid) });
}
