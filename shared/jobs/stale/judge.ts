import type { Job, JobVerdict } from '../types';
import { signsAgainst, type Counter } from './against';
import { remember, type JobPast } from './past';
import { signsFor, type Sign } from './signs';

/** What the rules remember between two Snapshots, by job id. */
export interface StaleMemory {
  readonly pasts: ReadonlyMap<string, JobPast>;
  readonly judgedAt: number | null;
}

export const noPasts: StaleMemory = { pasts: new Map(), judgedAt: null };

export interface StaleQuestion {
  readonly jobs: readonly Job[];
  /** Seconds since the epoch. */
  readonly now: number;
  /** nvidia-smi indices of the cards that were busy at this moment. */
  readonly busyCards: ReadonlySet<number>;
  /** Ports that something on this machine listens on; null where that could not be read. */
  readonly listeningPorts: ReadonlySet<number> | null;
  /** Ids of the containers that live; null where that could not be read. */
  readonly livingContainers: ReadonlySet<string> | null;
}

/** From this sum on a job with a proof is stale, from the lower one on it is suspect. */
const staleScore = 0.85;
const suspectScore = 0.5;
/** After this long without a sign of life a job is shown as idle, with the time since. */
const idleSeconds = 300;

/**
 * Each job with its verdict, the signs for and against, and since when it does nothing. A job is stale only by a proof
 * (launcher, parent or container gone by identity, a zombie or a pid without a process that still holds a card); utilisation alone, being idle
 * and having parent 1 never suffice.
 */
export function judgeJobs(
  memory: StaleMemory,
  question: StaleQuestion,
): { readonly memory: StaleMemory; readonly jobs: readonly Job[] } {
  const { now, listeningPorts, livingContainers } = question;
  const elapsed = memory.judgedAt === null ? 0 : Math.max(0, now - memory.judgedAt);
  const pasts = new Map<string, JobPast>();
  const jobs = question.jobs.map((job): Job => {
    const busy = job.members.some(({ cards }) =>
      cards.some(({ gpuIndex }) => question.busyCards.has(gpuIndex)),
    );
    const past = remember(memory.pasts.get(job.id), job, now, elapsed, busy);
    pasts.set(job.id, past);
    const scene = { job, past, now, jobs: question.jobs, listeningPorts, livingContainers };
    const signs = signsFor(scene);
    const counters = signsAgainst(scene);
    const idleSince = now - past.lastActiveAt >= idleSeconds ? past.lastActiveAt : null;
    return {
      ...job,
      verdict: verdictOf(signs, counters, idleSince),
      idleSince,
      reasons: signs.map(({ sign, text, weight }) => ({ sign, text, weight })),
      against: counters.map(({ sign, text, weight }) => ({ sign, text, weight })),
    };
  });
  return { memory: { pasts, judgedAt: now }, jobs };
}

function verdictOf(
  signs: readonly Sign[],
  counters: readonly Counter[],
  idleSince: number | null,
): JobVerdict {
  const resting: JobVerdict = idleSince === null ? 'healthy' : 'idle';
  if (counters.some(({ veto }) => veto)) return resting;
  const score =
    signs.reduce((sum, { weight }) => sum + weight, 0) -
    counters.reduce((sum, { weight }) => sum + weight, 0);
  if (score >= staleScore && signs.some(({ proof }) => proof)) return 'stale';
  return score >= suspectScore ? 'suspect' : resting;
}
