import type { Job, JobVerdict, StaleReason } from '../types';
import type { World } from '../world';
import { countersOf, type Counter } from './against';
import { computingOf, remember, type JobPast } from './past';
import { signsOf, type LeftoverSign } from './signs';

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
  /** The busy cards at this moment: percent by nvidia-smi index, null where a card does not say how busy it is. */
  readonly busyCards: ReadonlyMap<number, number | null>;
  /** Ports that something on this machine listens on; null where that could not be read. */
  readonly listeningPorts: ReadonlySet<number> | null;
  /** Ids of the containers that live; null where that could not be read. */
  readonly livingContainers: ReadonlySet<string> | null;
  readonly world: World;
}

/** From this sum on a job with a proof is stale, from the lower one on it is suspect. */
const staleScore = 0.85;
const suspectScore = 0.5;
/** After this long without a sign of life a job is shown as idle, with the time since. */
const idleSeconds = 300;

/**
 * Each job with its verdict, the signs for and against, and since when it does nothing. A job is stale only by a proof
 * (launcher, parent or container gone by identity, a zombie or a pid without a process that still holds a card) and only
 * where nothing that could speak against it is out of sight; utilisation, idleness and parent 1 alone never suffice.
 */
export function judgeJobs(
  memory: StaleMemory,
  question: StaleQuestion,
): { readonly memory: StaleMemory; readonly jobs: readonly Job[] } {
  const { now, busyCards } = question;
  const elapsed = memory.judgedAt === null ? 0 : Math.max(0, now - memory.judgedAt);
  const pasts = new Map<string, JobPast>();
  const jobs = question.jobs.map((job): Job => {
    const past = remember(memory.pasts.get(job.id), job, now, elapsed, busyCards);
    pasts.set(job.id, past);
    const scene = { ...question, job, past, computing: computingOf(job, past, now, busyCards) };
    const signs = signsOf(scene);
    const counters = countersOf(scene);
    const idleSince = now - past.lastActiveAt >= idleSeconds ? past.lastActiveAt : null;
    return {
      ...job,
      verdict: verdictOf(signs, counters, idleSince),
      idleSince,
      reasons: signs.map(asReason),
      against: counters.map(asReason),
    };
  });
  return { memory: { pasts, judgedAt: now }, jobs };
}

function asReason({ row: { sign, weight }, text }: LeftoverSign | Counter): StaleReason {
  return { sign, text, weight };
}

function verdictOf(
  signs: readonly LeftoverSign[],
  counters: readonly Counter[],
  idleSince: number | null,
): JobVerdict {
  const resting: JobVerdict = idleSince === null ? 'healthy' : 'idle';
  if (counters.some(({ row }) => row.force === 'veto')) return resting;
  const computes = counters.some(({ row }) => row.sign === 'computing');
  const counted = signs.filter(({ row }) => !computes || row.force !== 'hint');
  const score = weightOf(counted) - weightOf(counters);
  const isProven =
    counted.some(({ row }) => row.force === 'proof') && !counters.some(({ row }) => row.force === 'no proof');
  if (score >= staleScore && isProven) return 'stale';
  return score >= suspectScore ? 'suspect' : resting;
}

function weightOf(evidence: readonly (LeftoverSign | Counter)[]): number {
  return evidence.reduce((sum, { row }) => sum + row.weight, 0);
}
