/** From a candidate to a draft with its largest micro-batch, or to the reason why it cannot be. */
import { message, type Message } from '../i18n/message';
import { type EstimateRequest, gradientSyncOf } from '../memory/configuration';
import { hostBytes } from '../memory/hostMemory';
import { stageShares } from '../memory/spread';
import type { Architecture } from '../model/architecture';
import { stageParameters } from '../model/stages';
import { fewestMicroBatches, globalBatchOf, microBatchesOf, withMicroBatch } from './batch';
import { expectedContext, quickFit, type QuickFit } from './judge';
import { logitsOf } from './logits';
import { peakTooLarge, stageTooLarge, statesTooLarge } from './refusals';
import { cardOf } from './requestCard';
import { settingsAgainst } from './settingsAgainst';
import { countsOf, rankStatesOf, stageStatesOf } from './states';
import { secondsPerSample } from './stepTime';
import { tightestCard } from './tightest';
import type { PlanCandidate, Draft, PlanQuestion, SizeGap } from './types';
import { workOf } from './work';

/** Why a candidate cannot be, and by how much where that is a question of size. */
export interface Obstacle {
  readonly why: Message;
  readonly gap: SizeGap | null;
}

export type Drafting =
  { readonly kind: 'draft'; readonly draft: Draft } | ({ readonly kind: 'refused' } & Obstacle);

/** Plays as little as possible: nothing where the states alone are too large, one peak where one sample is. */
export function draftOf(question: PlanQuestion, candidate: PlanCandidate): Drafting {
  const rule = ruleAgainst(question, candidate);
  const states = arithmeticAgainst(question, candidate);
  // The arithmetic says more than "not modelled".
  if (states !== null) return { kind: 'refused', ...states };
  if (rule !== null) return { kind: 'refused', why: rule, gap: null };
  const host = hostAgainst(question, candidate.request);
  if (host !== null) return { kind: 'refused', why: host, gap: null };
  const best = largestMicroBatch(question, candidate);
  if (best.kind === 'refused') return best;
  return { kind: 'draft', draft: timed(question, candidate, withFasterSync(question, best)) };
}

const ruleAgainst = (question: PlanQuestion, { request }: PlanCandidate): Message | null =>
  batchAgainst(question, request) ?? settingsAgainst(question.architecture, request);

/** Why the batch cannot be divided for a way to train; null where some micro-batch keeps it. */
export function batchAgainst(question: PlanQuestion, request: EstimateRequest): Message | null {
  if (microBatchesOf(question, request).length > 0) return null;
  const values = { batch: globalBatchOf(question), world: request.world };
  return values.batch < fewestMicroBatches(request)
    ? message('strategy.batchBelowStages', values)
    : message('strategy.batchUneven', values);
}

/** The states of every rank against its card, before anything is played. */
function arithmeticAgainst(question: PlanQuestion, candidate: PlanCandidate): Obstacle | null {
  const logits = logitsAgainst(question, candidate);
  if (logits !== null) return logits;
  const { architecture } = question;
  const { cards, request } = candidate;
  const needs = rankStatesOf(architecture, request).map((states, rank) => ({
    rank,
    states,
    processBytes: states.totalBytes + expectedContext(architecture, request, rank),
    // What only another program is in the way of is told apart later, with the whole peak.
    cardBytes: cards[rank]?.totalBytes ?? 0,
  }));
  const tightest = tightestCard(needs);
  if (tightest === null || tightest.processBytes <= tightest.cardBytes) return null;
  const { cardBytes, processBytes, rank, states } = tightest;
  const stage = request.strategy === 'pipeline' ? stageStatesOf(architecture, request)[rank] : undefined;
  const why =
    stage === undefined
      ? statesTooLarge(request, countsOf(architecture, request), {
          ...states,
          cardBytes,
          contextBytes: processBytes - states.totalBytes,
        })
      : stageTooLarge(request, stage, rank, cardBytes);
  return { why, gap: { needBytes: processBytes, cardBytes } };
}

/** The logits of the smallest micro-batch against the largest card: whichever has the head, it cannot hold them. */
function logitsAgainst(question: PlanQuestion, { cards, request }: PlanCandidate): Obstacle | null {
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
    // What is in the way is the length of the samples, which says more than what is missing on a card.
    gap: null,
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

/** The largest micro-batch that fits, by halving; a tight one only where none fits. */
function largestMicroBatch(
  question: PlanQuestion,
  candidate: PlanCandidate,
): Choice | Extract<Drafting, { kind: 'refused' }> {
  const choices = microBatchesOf(question, candidate.request).flatMap((microBatch) => {
    const request = withMicroBatch(candidate.request, microBatch, globalBatchOf(question));
    return request === null ? [] : [request];
  });
  const fits = new Map<EstimateRequest, QuickFit>();
  const fitOf = (request: EstimateRequest): QuickFit => {
    const known = fits.get(request) ?? quickFit(question.architecture, request);
    fits.set(request, known);
    return known;
  };
  const request =
    lastWhere(choices, (choice) => fitOf(choice).verdict === 'fits') ??
    lastWhere(choices, (choice) => fitOf(choice).verdict !== null);
  if (request !== null) return { kind: 'chosen', request, fit: fitOf(request) };
  const [smallest] = choices;
  // `ruleAgainst` has refused what has no choice.
  if (smallest === undefined) throw new Error('No micro-batch keeps the batch.');
  return { kind: 'refused', ...peakTooLarge(question, candidate, fitOf(smallest).tightest) };
}

/** The last of several for which a condition holds that fails for all after its first failure; null: it fails at once. */
function lastWhere<Choice>(choices: readonly Choice[], holds: (choice: Choice) => boolean): Choice | null {
  const [first] = choices;
  const last = choices[choices.length - 1];
  // The whole batch at once is what small models can; one sample is what large ones cannot.
  if (last !== undefined && holds(last)) return last;
  if (first === undefined || choices.length < 2 || !holds(first)) return null;
  let found = first;
  let [low, high] = [0, choices.length - 1];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    const choice = choices[middle];
    if (choice !== undefined && holds(choice)) [low, found] = [middle, choice];
    else high = middle;
  }
  return found;
}

/** A step that becomes less than this part shorter is no reason to hold whole gradients: less than times are known by. */
const worthwhileShare = 0.02;

/**
 * Exchanging gradients once a step instead of with every micro-batch, where that is clearly faster, as over slow links, and fits as well.
 */
function withFasterSync(question: PlanQuestion, choice: Choice): Choice {
  const { fit, request } = choice;
  const { strategy, training } = request;
  if (question.wished.has('gradientSync') || training.accumulation === 1) return choice;
  if (gradientSyncOf(strategy, training) !== 'each') return choice;
  const last: EstimateRequest = { ...request, training: { ...training, gradientSync: 'last' } };
  if (secondsOf(question, last) > secondsOf(question, request) * (1 - worthwhileShare)) return choice;
  const lastFit = quickFit(question.architecture, last);
  return lastFit.verdict === fit.verdict ? { ...choice, request: last, fit: lastFit } : choice;
}

function timed(question: PlanQuestion, candidate: PlanCandidate, { fit, request }: Choice): Draft {
  return {
    candidate: { ...candidate, request },
    fit,
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

const largestBytes = (cards: PlanCandidate['cards']): number =>
  Math.max(...cards.map(({ totalBytes }) => totalBytes));
