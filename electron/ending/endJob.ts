/**
 * Ends one job, step by step: ask the processes (SIGTERM), wait, force what is left (SIGKILL) after a second yes, then
 * watch until its memory is back. Identity is read again right before every signal; between that and the signal lie some
 * microseconds, on Windows the start of a program, which is the whole race (Node offers no pidfd).
 */
import type { EndingProgress, EndingReport } from '../../shared/contract/ending';
import type { EndingSignal } from '../../shared/jobs/types';
import { message, type Message } from '../../shared/i18n/message';
import type { EndingPlan } from '../../shared/jobs/stale/ending';
import type { JobMember } from '../../shared/jobs/types';
import type { Identity, ProcessControl, Sent } from './processes';

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
const sigtermGraceSeconds = 15;
/** A launcher ends its ranks itself; what it has not reached by then is asked directly. */
const launcherSeconds = 4;
/** What SIGKILL has not ended by then waits inside the kernel. */
const killedMs = 5000;
/** The driver gives memory back within a second or two of the last thread's end. */
const memorySeconds = 10;
const lookMs = 100;
/** Memory that fell and then stays is all that comes back: a Snapshot comes once a second. */
const steadyMs = 2500;

type Standing =
  | { readonly kind: 'lives'; readonly state: string }
  | { readonly kind: 'gone' }
  | { readonly kind: 'other'; readonly why: Message };

/** Ends what the plan says, and tells of each process what became of it. Rejects only where one of the ports does. */
export async function endJob(plan: EndingPlan, ports: EndingPorts): Promise<EndingReport> {
  const started = ports.now();
  const pids = new Set(plan.ends.map(({ process }) => process.pid));
  const before = await ports.memoryOf(pids);
  const job = new Ending(plan, ports);
  await job.noteWhoIsGone();
  await job.ask();
  await job.force();
  ports.onProgress({ phase: 'memory' });
  const report = await job.report();
  // Memory must come back only where a signal of ours ended somebody.
  const hasEndedSome = report.ended.some(({ result }) => result === 'ended');
  return {
    ...report,
    memoryBackBytes: await memoryBack(pids, before, hasEndedSome, ports),
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

/** A process that goes on to live as the one that was shown. */
interface Living {
  readonly member: JobMember;
  readonly state: string;
}

class Ending {
  /** The last signal each process got. */
  private readonly signals = new Map<number, EndingSignal>();
  private readonly refused = new Map<number, Message>();
  private readonly goneBefore = new Set<number>();

  constructor(
    private readonly plan: EndingPlan,
    private readonly ports: EndingPorts,
  ) {}

  /** Those that have ended already are told apart from those that end now. */
  async noteWhoIsGone(): Promise<void> {
    for (const [{ process }, { kind }] of await this.standings(this.plan.ends))
      if (kind === 'gone') this.goneBefore.add(process.pid);
  }

  /** SIGTERM to the launcher, or to all where there is none; those a launcher does not reach are asked in turn. */
  async ask(): Promise<void> {
    const there = await this.living();
    const launchers = there.filter(({ member }) => member.role === 'launcher');
    const first = launchers.length > 0 ? launchers : there.filter(({ member }) => member.role !== 'worker');
    for (const one of first.length > 0 ? first : there) await this.terminate(one);
    const started = this.ports.now();
    const elapsed = (): number => (this.ports.now() - started) / 1000;
    for (;;) {
      const left = await this.living();
      const secondsLeft = Math.max(0, Math.ceil(sigtermGraceSeconds - elapsed()));
      this.ports.onProgress({ phase: 'asked', left: left.length, secondsLeft });
      if (left.length === 0 || secondsLeft === 0 || this.ports.isCutShort()) return;
      if (elapsed() >= launcherSeconds)
        for (const one of left) if (!this.signals.has(one.member.process.pid)) await this.terminate(one);
      await this.ports.pause(lookMs);
    }
  }

  /** SIGKILL to what is left, after a second yes. */
  async force(): Promise<void> {
    const left = await this.living();
    if (left.length === 0) return;
    this.ports.onProgress({ phase: 'asking-to-force', left: left.length });
    if (!(await this.ports.mayForce(left.map(({ member }) => member)))) return;
    for (const { member } of left) await this.send(member, 'SIGKILL');
    const deadline = this.ports.now() + killedMs;
    for (;;) {
      const still = await this.living();
      if (still.length === 0 || this.ports.now() >= deadline) return;
      this.ports.onProgress({ phase: 'forcing', left: still.length });
      await this.ports.pause(lookMs);
    }
  }

  async report(): Promise<Pick<EndingReport, 'ended' | 'remaining'>> {
    const ended: EndingReport['ended'][number][] = [];
    const remaining: EndingReport['remaining'][number][] = [];
    for (const [member, standing] of await this.standings(this.plan.ends)) {
      const { pid } = member.process;
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

  private async living(): Promise<readonly Living[]> {
    return [...(await this.standings(this.plan.ends))].flatMap(([member, standing]) =>
      standing.kind === 'lives' ? [{ member, state: standing.state }] : [],
    );
  }

  /** A stopped process acts on SIGTERM only once it is continued. */
  private async terminate({ member, state }: Living): Promise<void> {
    await this.send(member, 'SIGTERM');
    if (state === 'T' || state === 't') await this.send(member, 'SIGCONT');
  }

  private async send(member: JobMember, signal: EndingSignal): Promise<void> {
    const { pid } = member.process;
    const standing = (await this.standings([member])).get(member);
    if (standing?.kind !== 'lives') return;
    const sent = await this.ports.processes.signal(pid, signal);
    this.ports.onSignal(member, signal, sent);
    if (sent === 'refused') this.refused.set(pid, message('ending.refused', { pid: String(pid) }));
    if (sent === 'sent' && signal !== 'SIGCONT') this.signals.set(pid, signal);
  }

  /** What has each member's pid now, in their order. */
  private async standings(members: readonly JobMember[]): Promise<ReadonlyMap<JobMember, Standing>> {
    const identities = await this.ports.processes.identify(members.map(({ process }) => process.pid));
    return new Map(
      members.map((member) => [member, standingOf(member.process, identities.get(member.process.pid))]),
    );
  }
}

/** The process that was shown, nobody (a zombie has ended too), or somebody of whom nothing can be known. */
function standingOf({ pid, startTime, uid }: JobMember['process'], identity: Identity | undefined): Standing {
  if (identity === null) return { kind: 'gone' };
  if (identity === undefined || identity === 'unreadable')
    return { kind: 'other', why: message('ending.keepsUnknown', { pid: String(pid) }) };
  if (identity.startTime !== startTime || (uid !== null && identity.uid !== uid)) return { kind: 'gone' };
  if (identity.state === 'Z' || identity.state === 'X') return { kind: 'gone' };
  return { kind: 'lives', state: identity.state };
}

function whyItStays(pid: number, standing: Standing, signal: EndingSignal | undefined): Message {
  if (standing.kind === 'other') return standing.why;
  if (standing.kind === 'lives' && standing.state === 'D')
    return message('ending.uninterruptible', { pid: String(pid) });
  return signal === 'SIGKILL'
    ? message('ending.survivesKill', { pid: String(pid) })
    : message('ending.notForced', { pid: String(pid) });
}
