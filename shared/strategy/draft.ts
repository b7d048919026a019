/** From a candidate to a draft with its largest micro-batch, or to the reason why it cannot be. */
import { message, type Message } from '../i18n/message';
import type { EstimateRequest } from '../memory/configuration';
import { hostBytes } from '../memory/hostMemory';
import { stageShares } from '../memory/spread';
import type { Architecture } from '../model/architecture';
import { stageParameters } from '../model/stages';
import { fewestMicroBatches, globalBatchOf, microBatchesOf, withMicroBatch } from './enumerate';
import { expectedContext, quickFit, type QuickFit } from './judge';
import { logitsOf } from './logits';
import { peakTooLarge, stageTooLarge, statesTooLarge } from './refusals';
import { countsOf, stageStatesOf, statesOf } from './states';
import { cardOf, secondsPerSample } from './stepTime';
import type { Candidate, Draft, PlanQuestion, PlanVerdict } from './types';
import { workOf } from './work';
import { settingsAgainst } from './settingsAgainst';

export type Drafting =
  | { readonly kind: 'draft'; readonly draft: Draft }
  /** `needBytes` ranks the refusals of one strategy: the one that comes nearest is told. Infinity: by rule. */
  | { readonly kind: 'refused'; readonly why: Message; readonly needBytes: number };

/** Plays as little as possible: nothing where the states alone are too large, one peak where one sample is. */
export function draftOf(question: PlanQuestion, candidate: Candidate): Drafting {
  const rule = ruleAgainst(question, candidate);
  const states = arithmeticAgainst(question, candidate);
  // The arithmetic says more than "not modelled".
  if (states !== null) return { kind: 'refused', ...states };
  if (rule !== null) return { kind: 'refused', why: rule, needBytes: Infinity };
  const host = hostAgainst(question, candidate.request);
  if (host !== null) return { kind: 'refused', why: host, needBytes: Infinity };
  const best = largestMicroBatch(question, candidate);
  return best.kind === 'refused' ? best : { kind: 'draft', draft: timed(question, candidate, best) };
}

function ruleAgainst(question: PlanQuestion, candidate: Candidate): Message | null {
  const { request } = candidate;
  const samples = globalBatchOf(question);
  if (microBatchesOf(question, request).length === 0)
    return samples < fewestMicroBatches(request)
      ? message('strategy.batchBelowStages', { batch: samples, world: request.world })
      : message('strategy.batchUneven', { batch: samples, world: request.world });
  return settingsAgainst(question.architecture, request);
}

/** The states against the smallest card that takes part, those of stages against each one's card. */
function arithmeticAgainst(
  question: PlanQuestion,
  candidate: Candidate,
): { readonly why: Message; readonly needBytes: number } | null {
  const { cards, request } = candidate;
  const logits = logitsAgainst(question, candidate);
  if (logits !== null) return logits;
  if (request.strategy === 'pipeline') return stagesAgainst(question, candidate);
  const counts = countsOf(question.architecture, request);
  const states = statesOf(request, counts);
  // What only another program is in the way of is told apart later, with the whole peak.
  const smallest = Math.min(...cards.map(({ totalBytes }) => totalBytes));
  const needBytes = states.totalBytes + expectedContext(request);
  if (needBytes <= smallest) return null;
  return { why: statesTooLarge(request, counts, states, smallest), needBytes };
}

/** The logits of the smallest micro-batch against the largest card: whichever has the head, it cannot hold them. */
function logitsAgainst(
  question: PlanQuestion,
  { cards, request }: Candidate,
): { readonly why: Message; readonly needBytes: number } | null {
  const { training } = request;
  const [smallest = 1] = microBatchesOf(question, request);
  const logits = logitsOf(question.architecture, {
    ...request,
    training: { ...training, microBatch: smallest },
  });
  const cardBytes = largestBytes(cards);
  if (logits === null || logits.bytes <= cardBytes) return null;
  const { bytes, vocabulary } = logits;
  const tokens = smallest * training.sequence;
  return {
    why: message('strategy.logits', { tokens, vocabulary, bytes, card: cardBytes }),
    needBytes: bytes,
  };
}

function stagesAgainst(
  { architecture }: PlanQuestion,
  { cards, request }: Candidate,
): { readonly why: Message; readonly needBytes: number } | null {
  const stages = stageStatesOf(architecture, request);
  const context = expectedContext(request);
  const over = stages.map(({ states }, index) => ({
    index,
    bytes: states.totalBytes + context - (cards[index]?.totalBytes ?? 0),
  }));
  const worst = over.reduce((most, one) => (one.bytes > most.bytes ? one : most), { index: 0, bytes: 0 });
  const stage = stages[worst.index];
  if (worst.bytes <= 0 || stage === undefined) return null;
  return {
    why: stageTooLarge(request, stage, worst.index, cards[worst.index]?.totalBytes ?? 0),
    needBytes: stage.states.totalBytes + context,
  };
}

function hostAgainst(
  { architecture, hostBytes: have }: PlanQuestion,
  request: EstimateRequest,
): Message | null {
  if (request.offload === 'none' || have === null) return null;
  const need = hostBytes(architecture, request);
  return need > have ? message('strategy.hostTooSmall', { need, have }) : null;
}

type Choice = { readonly kind: 'chosen'; readonly request: EstimateRequest; readonly fit: QuickFit };

const NO_FIT: QuickFit = { rank: 0, peakBytes: Infinity, verdict: null };

/** The largest micro-batch that fits, by halving; a tight one only where none fits. */
function largestMicroBatch(
  question: PlanQuestion,
  candidate: Candidate,
): Choice | Extract<Drafting, { kind: 'refused' }> {
  const choices = microBatchesOf(question, candidate.request).flatMap((microBatch) => {
    const request = withMicroBatch(candidate.request, microBatch, globalBatchOf(question));
    return request === null ? [] : [request];
  });
  const fits = new Map<number, QuickFit>();
  const fitAt = (index: number): QuickFit => {
    const request = choices[index];
    const known =
      fits.get(index) ?? (request === undefined ? NO_FIT : quickFit(question.architecture, request));
    fits.set(index, known);
    return known;
  };
  const verdictAt = (index: number): PlanVerdict | null => fitAt(index).verdict;
  const largest =
    lastWhere(choices.length, (index) => verdictAt(index) === 'fits') ??
    lastWhere(choices.length, (index) => verdictAt(index) !== null);
  const request = largest === null ? undefined : choices[largest];
  if (largest !== null && request !== undefined) return { kind: 'chosen', request, fit: fitAt(largest) };
  const { peakBytes, rank } = fitAt(0);
  return peakTooLarge(question, candidate, peakBytes, rank);
}

/** The last index for which a condition holds that fails for all after its first failure; null: it fails at once. */
function lastWhere(count: number, holds: (index: number) => boolean): number | null {
  // The whole batch at once is what small models can; one sample is what large ones cannot.
  if (count > 0 && holds(count - 1)) return count - 1;
  if (count < 2 || !holds(0)) return null;
  let low = 0;
  let high = count - 1;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}

function timed(question: PlanQuestion, candidate: Candidate, { fit, request }: Choice): Draft {
  return {
    candidate: { ...candidate, request },
    quickPeakBytes: fit.peakBytes,
    verdict: fit.verdict ?? 'tight',
    secondsPerSample: secondsOf(question, request),
  };
}

/** Seconds of a sample, for comparing. */
export function secondsOf({ architecture, links }: PlanQuestion, request: EstimateRequest): number {
  const { trainable } = countsOf(architecture, request);
  const work = workOf(architecture, request.training.sequence);
  return secondsPerSample(request, {
    work,
    trainable,
    card: cardOf(request),
    links,
    largestStage: largestStageOf(architecture, request),
  });
}

/** The share of the model that the largest stage of a pipeline has; 1 for other strategies. */
function largestStageOf(architecture: Architecture, request: EstimateRequest): number {
  if (request.strategy !== 'pipeline') return 1;
  const parameters = stageParameters(architecture, stageShares(request)) ?? [1];
  return Math.max(...parameters) / parameters.reduce((sum, count) => sum + count, 0);
}

const largestBytes = (cards: Candidate['cards']): number =>
  Math.max(...cards.map(({ totalBytes }) => totalBytes));

export const smallestBytes = (cards: Candidate['cards']): number =>
  Math.min(...cards.map(({ freeBytes }) => freeBytes));
