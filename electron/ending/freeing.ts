/**
 * Frees one job for the window: reads it anew from the newest Snapshot, asks in a native dialog, ends it, and asks
 * again before forcing. Nothing that the window says is taken for true but which job is meant and what was shown.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { EndingNews, FreeOutcome, ShownProcess } from '../../shared/contract/ending';
import type { RefusalCode } from '../../shared/contract/ipc';
import type { Snapshot } from '../../shared/alerts/snapshot';
import { message, type Message } from '../../shared/i18n/message';
import type { Locale } from '../../shared/i18n/translate';
import { endingPlan, type Protection, type EndingPlan } from '../../shared/jobs/stale/ending';
import { endsMoreThanShown, identitiesOf, isFreeable } from '../../shared/jobs/stale/freeing';
import type { Job, JobMember } from '../../shared/jobs/types';
import type { Dialogs } from '../desktop/ports/dialogs';
import type { Log } from '../storage/log';
import { cardMemory } from './cardMemory';
import { endQuestion, forceQuestion } from './describe';
import { endJob } from './endJob';
import { beginLine, endLine, signalLine } from './endingLog';
import type { ProcessControl } from './processes';

export interface FreeingServices {
  readonly latest: () => Snapshot | null;
  readonly isReadOnly: () => boolean;
  readonly protection: () => Protection;
  readonly processes: ProcessControl;
  readonly dialogs: Dialogs;
  readonly locale: () => Locale;
  readonly log: Log;
  readonly onProgress: (news: EndingNews) => void;
  /** Told before the first signal, so that nobody takes the end of these processes for a failure. */
  readonly onEnding: (job: Job, pids: readonly number[]) => void;
}

/** Why a job is not freed, for people. */
export class CannotFree extends Error {
  constructor(
    readonly code: Extract<RefusalCode, 'read-only' | 'not-found' | 'failed'>,
    readonly reason: Message,
  ) {
    super(reason.key);
    this.name = 'CannotFree';
  }
}

interface Chosen {
  readonly job: Job;
  readonly plan: EndingPlan;
}

export class Freeing {
  /** The jobs that are being freed, and whether the person no longer wants to wait. */
  private readonly underWay = new Map<string, { cutShort: boolean }>();

  constructor(private readonly services: FreeingServices) {}

  /** Throws CannotFree where the job is unknown, no leftover, changed, or where nothing may be ended. */
  async free(jobId: string, shown: readonly ShownProcess[]): Promise<FreeOutcome> {
    if (this.underWay.has(jobId)) throw new CannotFree('failed', message('ending.busy'));
    const wish = { cutShort: false };
    this.underWay.set(jobId, wish);
    try {
      const asked = this.choose(jobId, shown);
      if (asked.plan.ends.length > 0 && !(await this.agrees(asked))) {
        this.services.log.info(`Ending job ${jobId} was asked for and called off.`);
        return { kind: 'cancelled' };
      }
      // The question may have stood there for hours.
      const chosen = this.choose(jobId, identitiesOf(asked.plan.ends));
      return { kind: 'done', report: await this.end(chosen, wish) };
    } finally {
      this.underWay.delete(jobId);
    }
  }

  /** Stops waiting for the job's processes to end by themselves. */
  cutShort(jobId: string): void {
    const wish = this.underWay.get(jobId);
    if (wish !== undefined) wish.cutShort = true;
  }

  private choose(jobId: string, shown: readonly ShownProcess[]): Chosen {
    const { isReadOnly, latest, protection } = this.services;
    if (isReadOnly()) throw new CannotFree('read-only', message('ending.readOnly'));
    const job = latest()?.jobs.find(({ id }) => id === jobId);
    if (job === undefined) throw new CannotFree('not-found', message('ending.unknownJob'));
    if (!isFreeable(job)) throw new CannotFree('failed', message('ending.notStale', { job: job.title }));
    if (job.ownedByMe === false)
      throw new CannotFree('failed', message('ending.notYours', { job: job.title, user: job.user }));
    const plan = endingPlan(job, protection());
    if (endsMoreThanShown(plan, shown)) throw new CannotFree('failed', message('ending.changed'));
    return { job, plan };
  }

  private async agrees({ job, plan }: Chosen): Promise<boolean> {
    const { dialogs, locale } = this.services;
    return (await dialogs.ask(endQuestion(locale(), job, plan, this.time()))) === 'end';
  }

  private async mayForce(left: readonly JobMember[]): Promise<boolean> {
    const { dialogs, locale, isReadOnly } = this.services;
    const answer = await dialogs.ask(forceQuestion(locale(), left, this.time()));
    return answer === 'force' && !isReadOnly();
  }

  private async end({ job, plan }: Chosen, wish: { readonly cutShort: boolean }) {
    const { log, onEnding, onProgress, processes, latest } = this.services;
    let told = '';
    log.info(beginLine(job, plan));
    onEnding(
      job,
      plan.ends.map(({ process }) => process.pid),
    );
    const report = await endJob(plan, {
      processes,
      mayForce: (left) => this.mayForce(left),
      memoryOf: cardMemory(job, latest),
      pause: (milliseconds) => pause(milliseconds),
      isCutShort: () => wish.cutShort,
      now: () => Date.now(),
      onProgress: (progress) => {
        // The protocol looks ten times a second; the window is told what changes.
        const news = JSON.stringify(progress);
        if (news !== told) onProgress({ jobId: job.id, progress });
        told = news;
      },
      onSignal: (member, signal, sent) => log.info(signalLine(member, signal, sent)),
    });
    log.info(endLine(job, report));
    return report;
  }

  /** Seconds since the epoch, by the readings that ages are told by. */
  private time(): number {
    return this.services.latest()?.time ?? Date.now() / 1000;
  }
}
