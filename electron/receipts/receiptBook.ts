/**
 * Keeps the receipts: follows every job that is tied to a plan from its first Snapshot to its end, asks its logs now and
 * then, and tells the window. What a Snapshot means for a receipt is decided in shared/receipts.
 */
import type { Snapshot } from '../../shared/alerts/snapshot';
import { suspectedOomExitsBetween } from '../../shared/doctor/suspectedOomExit';
import type { Job } from '../../shared/jobs/types';
import type { PlannedRank } from '../../shared/launch/plan';
import type { SavedPlan } from '../../shared/launch/savedPlan';
import {
  beginReceipt,
  endReceipt,
  followJob,
  hasNumbers,
  measuredReceipt,
  plannedRanks,
  reopened,
  wantsLogs,
  withLogs,
} from '../../shared/receipts/keeping';
import type { RankLog } from '../../shared/receipts/rankLog';
import type { JobTie, ReceiptsState } from '../../shared/receipts/state';
import { launchedPlanId, launchFolder, tieOf } from '../../shared/receipts/ties';
import type { Receipt, ReceiptEnd } from '../../shared/receipts/types';
import { ReceiptRepository, type ReceiptFile } from './receiptRepository';

export interface BookServices {
  readonly store: ReceiptFile;
  readonly readPlan: (folder: string, planId: string) => Promise<SavedPlan | null>;
  readonly readLogs: (
    folder: string,
    ranks: readonly PlannedRank[],
    since: number,
  ) => Promise<ReadonlyMap<number, RankLog>>;
  /** Seconds since the epoch. */
  readonly clock: () => number;
  readonly onChange: (state: ReceiptsState) => void;
}

/** A job that is followed. `folder`: where its launch files lie; null: not known to be such a folder. */
interface Followed {
  readonly job: Job;
  readonly planId: string;
  readonly receiptId: string;
  readonly folder: string | null;
  readonly askedAt: number;
}

/** The window and the file get what only counts on at most so often; ties and ends at once. */
const tellEverySeconds = 5;
const writeEverySeconds = 60;
const askLogsEverySeconds = 15;
/** Start times of processes are known to the second. */
const startSlackSeconds = 5;
/** The window lists so many. */
const mostShown = 200;

export class ReceiptBook {
  private readonly followed = new Map<string, Followed>();
  private readonly repository: ReceiptRepository;
  private readonly freedJobs = new Set<string>();
  /** Marks whose plan was looked for in the job's folder, so that it is done once. */
  private readonly lookedFor = new Set<string>();
  private readonly waiting = new Set<Promise<void>>();
  private ties: readonly JobTie[] = [];
  private before: Snapshot | null = null;
  private missing = new Set<string>();
  private died = new Set<string>();
  private toldAt = 0;
  private writtenAt = 0;

  constructor(private readonly services: BookServices) {
    this.repository = new ReceiptRepository(services.store);
  }

  state(): ReceiptsState {
    const { plans, receipts } = this.repository;
    return {
      plans,
      ties: this.ties,
      receipts: receipts.slice(0, mostShown),
      notice: this.services.store.notice(),
    };
  }

  /** Takes a Snapshot; one without new readings of the cards tells nothing of what jobs hold. */
  take(snapshot: Snapshot): void {
    const { before } = this;
    if (snapshot.cardsReadAt === null || snapshot.cardsReadAt === before?.cardsReadAt) return;
    if (before !== null && before.source.sceneId !== snapshot.source.sceneId) this.leaveMachine();
    this.before = snapshot;
    const now = this.services.clock();
    const receiptsBefore = this.repository.receipts;
    const tied = snapshot.jobs.flatMap((job) => {
      const tie = tieOf(job, this.repository.said, (planId) => this.repository.planOf(planId) !== null);
      if (tie === null) this.lookForPlan(job);
      return tie === null ? [] : [{ job, tie }];
    });
    for (const { job, tie } of tied) this.follow(job, tie, snapshot, now);
    const ended = this.endMissing(snapshot, before, now);
    this.closeUnseen(snapshot);
    const ties = tied.map(({ tie }) => tie);
    const tiesChanged = JSON.stringify(ties) !== JSON.stringify(this.ties);
    this.ties = ties;
    if (tiesChanged || ended) this.tell(now, true);
    else if (this.repository.receipts !== receiptsBefore) this.tell(now, false);
  }

  /** Remembers a plan whose files were written, so that a job can be tied to it. */
  remember(plan: SavedPlan): void {
    const now = this.services.clock();
    this.repository.remember(plan, now);
    this.tell(now, true);
  }

  /** Compares a job with a plan, or (null) with none. False where the job or the plan is not known. */
  tie(jobId: string, planId: string | null): boolean {
    const job = this.before?.jobs.find(({ id }) => id === jobId);
    if (job === undefined || this.before === null) return false;
    if (planId !== null && this.repository.planOf(planId) === null) return false;
    this.repository.say(jobId, planId);
    this.ties = this.ties.filter((tie) => tie.jobId !== jobId);
    this.drop(jobId, planId);
    if (planId !== null) {
      const tie: JobTie = { jobId, planId, by: 'person' };
      this.ties = [...this.ties, tie];
      this.follow(job, tie, this.before, this.services.clock());
    }
    this.tell(this.services.clock(), true);
    return true;
  }

  /**
   * Keeps what a measurement found. Its processes carry the plan's mark and were followed as a job: what was seen of them goes
   * into the measurement's own receipt. One without any number is not kept.
   */
  addMeasured(
    plan: SavedPlan,
    startedAt: number,
    logs: ReadonlyMap<number, RankLog>,
    end: 'ended' | 'failed' | 'freed',
  ): Receipt {
    const isOfRun = (one: Receipt): boolean =>
      one.source === 'job' && one.planId === plan.id && one.startedAt >= startedAt - startSlackSeconds;
    const watched = this.repository.receipts.find(isOfRun) ?? null;
    const now = this.services.clock();
    const receipt = measuredReceipt(plan, watched, {
      startedAt,
      endedAt: now,
      end,
      logs,
      snapshot: this.before,
    });
    for (const [jobId, one] of this.followed)
      if (one.receiptId === watched?.id) {
        this.forget(jobId);
        // Its last processes may be listed once more.
        this.repository.said.set(jobId, null);
      }
    this.repository.remove(isOfRun);
    if (hasNumbers(receipt)) this.repository.put(receipt);
    this.tell(now, true);
    return receipt;
  }

  /** False where there is no such receipt. One of a job that still runs begins anew with the next reading. */
  delete(receiptId: string): boolean {
    if (!this.repository.remove(({ id }) => id === receiptId)) return false;
    for (const [jobId, one] of this.followed) if (one.receiptId === receiptId) this.followed.delete(jobId);
    this.tell(this.services.clock(), true);
    return true;
  }

  /** Headroom ends this job: its end is no failure. */
  freed(jobId: string): void {
    this.freedJobs.add(jobId);
  }

  /** Resolves when all that is known is on disk or has failed to get there. */
  flush(): Promise<void> {
    return this.repository.flush();
  }

  /** Resolves when no file is being read any more. */
  async settled(): Promise<void> {
    while (this.waiting.size > 0) await Promise.all(this.waiting);
  }

  private follow(job: Job, tie: JobTie, snapshot: Snapshot, now: number): void {
    const plan = this.repository.planOf(tie.planId);
    if (plan === null) return;
    const known = this.followed.get(job.id);
    if (known !== undefined && known.planId !== tie.planId) this.drop(job.id, tie.planId);
    const fresh = beginReceipt(plan, {
      source: 'job',
      jobId: job.id,
      simulated: snapshot.source.kind === 'simulated',
      driverVersion: snapshot.driverVersion,
      startedAt: job.startedAt ?? snapshot.time,
    });
    // After a restart the receipt of a run that goes on is taken up again.
    const receipt = reopened(this.repository.receiptOf(fresh.id) ?? fresh);
    this.repository.put(followJob(receipt, job, snapshot));
    this.missing.delete(job.id);
    const askedAt = this.followed.get(job.id)?.askedAt ?? now;
    const folder = launchFolder(job, tie.planId);
    const asks = folder !== null && now - askedAt >= askLogsEverySeconds && wantsLogs(receipt);
    this.followed.set(job.id, {
      job,
      planId: tie.planId,
      receiptId: fresh.id,
      folder,
      askedAt: asks ? now : askedAt,
    });
    if (asks) this.later(this.askLogs(fresh.id, folder));
  }

  private async askLogs(receiptId: string, folder: string): Promise<void> {
    const receipt = this.repository.receiptOf(receiptId);
    if (receipt === null) return;
    const logs = await this.services.readLogs(folder, plannedRanks(receipt), receipt.startedAt);
    const now = this.repository.receiptOf(receiptId);
    if (now === null) return;
    this.repository.put(withLogs(now, logs));
    this.tell(this.services.clock(), false);
  }

  /** A job that is missing in two readings has ended; one reading may have come between two lists. */
  private endMissing(snapshot: Snapshot, before: Snapshot | null, now: number): boolean {
    const present = new Set(snapshot.jobs.map(({ id }) => id));
    let ended = false;
    for (const [jobId, one] of this.followed) {
      if (present.has(jobId)) continue;
      if (!this.missing.has(jobId)) {
        this.missing.add(jobId);
        const oomExits = before === null ? [] : suspectedOomExitsBetween(before, snapshot, new Set());
        if (oomExits.some((oomExit) => oomExit.jobId === jobId)) this.died.add(jobId);
        continue;
      }
      const end = this.freedJobs.has(jobId) ? 'freed' : this.died.has(jobId) ? 'died' : 'ended';
      this.forget(jobId);
      this.close(one, end, now);
      ended = true;
    }
    return ended;
  }

  private close(one: Followed, end: Exclude<ReceiptEnd, 'running'>, time: number): void {
    const receipt = this.repository.receiptOf(one.receiptId);
    if (receipt === null) return;
    this.repository.put(endReceipt(receipt, end, new Map(), time));
    if (one.folder === null) return;
    const { readLogs, clock } = this.services;
    this.later(
      readLogs(one.folder, plannedRanks(receipt), receipt.startedAt).then((logs) => {
        const ended = this.repository.receiptOf(one.receiptId);
        if (ended === null || ended.end !== end) return;
        this.repository.put(endReceipt(ended, end, logs, time));
        this.tell(clock(), true);
      }),
    );
  }

  /** Receipts that were still open when Headroom ended, of jobs that are gone now. */
  private closeUnseen(snapshot: Snapshot): void {
    if (snapshot.source.kind === 'simulated') return;
    const present = new Set(snapshot.jobs.map(({ id }) => id));
    for (const receipt of this.repository.receipts) {
      const { end, jobId, simulated } = receipt;
      if (end !== 'running' || jobId === null || simulated) continue;
      if (!present.has(jobId) && !this.followed.has(jobId))
        this.repository.put({ ...receipt, end: 'unseen' });
    }
  }

  /** Another machine or scene: its jobs did not end, they are only no longer seen. */
  private leaveMachine(): void {
    for (const { receiptId } of this.followed.values()) {
      const receipt = this.repository.receiptOf(receiptId);
      if (receipt !== null) this.repository.put({ ...receipt, end: 'unseen' });
    }
    for (const jobId of [...this.followed.keys()]) this.forget(jobId);
  }

  private forget(jobId: string): void {
    this.followed.delete(jobId);
    this.missing.delete(jobId);
    this.died.delete(jobId);
    this.freedJobs.delete(jobId);
  }

  /** The job is no longer compared with what it was: that receipt was a mistake. */
  private drop(jobId: string, unlessPlan: string | null): void {
    const known = this.followed.get(jobId);
    if (known === undefined || known.planId === unlessPlan) return;
    this.followed.delete(jobId);
    this.repository.remove(({ id }) => id === known.receiptId);
  }

  /** A mark of a plan that is not known, as after `headroom plan --write`: its own folder tells what it is. */
  private lookForPlan(job: Job): void {
    const planId = launchedPlanId(job);
    if (planId === null || this.repository.said.has(job.id)) return;
    const folder = launchFolder(job, planId);
    if (folder === null) return;
    const key = `${planId} ${folder}`;
    if (this.lookedFor.has(key) || this.repository.planOf(planId) !== null) return;
    this.lookedFor.add(key);
    this.later(
      this.services.readPlan(folder, planId).then((plan) => {
        if (plan !== null) this.remember(plan);
      }),
    );
  }

  private later(work: Promise<void>): void {
    const kept = work.finally(() => this.waiting.delete(kept));
    this.waiting.add(kept);
  }

  private tell(now: number, atOnce: boolean): void {
    if (atOnce || now - this.writtenAt >= writeEverySeconds) {
      this.writtenAt = now;
      this.repository.save();
    }
    if (!atOnce && now - this.toldAt < tellEverySeconds) return;
    this.toldAt = now;
    this.services.onChange(this.state());
  }
}
