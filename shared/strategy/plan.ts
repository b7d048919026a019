/**
 * The planner: enumerates what the wishes leave open, drops what arithmetic rules out, drafts the rest by quick peaks, ranks the
 * drafts by time and plays those that are shown in whole. Fit first, then speed.
 */
import { message, type Message } from '../i18n/message';
import type { CardEstimate } from '../memory/cardEstimate';
import { type EstimateRequest, gradientSyncOf } from '../memory/configuration';
import { stageShares } from '../memory/spread';
import type { Architecture } from '../model/architecture';
import { stageLayers } from '../model/stages';
import { secondsOf } from './draft';
import { drafted, type Refused } from './drafting';
import { globalBatchOf, microBatchesOf, withMicroBatch } from './batch';
import { againstWishes } from './enumerate';
import { judge, type Judgement, type RankNeed } from './judge';
import { whyOf } from './reasons';
import { peakTooLarge, refusalsOf, unplayable } from './refusals';
import { countsOf } from './states';
import { tightestCard } from './tightest';
import type { Draft, Plan, Planning, PlanningUpdate, PlanQuestion } from './types';

/** Plans that are played in whole: more than a table shows at once help nobody choose. */
const mostShown = 8;
/** Beside the best of each kind at least so many are played. */
const leastFurther = 3;

/** The whole answer at once. */
export function plan(question: PlanQuestion): Planning {
  const steps = planning(question);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** The same in steps of at most some hundred milliseconds, for a worker that tells what it has so far. */
export function* planning(question: PlanQuestion): Generator<PlanningUpdate, Planning> {
  const impossible = againstWishes(question);
  if (impossible !== null) return unplayable(question, impossible);
  const { drafts, refused } = yield* drafted(question);
  const ranked = shownOf(rankDrafts(drafts));
  const judged: Judged[] = [];
  const failed: Refused[] = [];
  for (const [index, draft] of ranked.entries()) {
    const answer = judgeDraft(question, draft);
    if (answer.kind === 'judged') judged.push(answer);
    else failed.push(answer.refused);
    yield { kind: 'judged', done: index + 1, total: ranked.length };
  }
  const plans = planList(question, judged);
  return {
    plans,
    refused: refusalsOf([...refused, ...failed], plans),
    assumptions: assumptionsOf(question),
  };
}

/** What was asked before what changes the training, what fits before what is tight, then the faster; then the smaller. */
export function rankDrafts(drafts: readonly Draft[]): readonly Draft[] {
  return [...drafts].sort(
    (a, b) =>
      Number(a.candidate.changesTraining) - Number(b.candidate.changesTraining) ||
      Number(a.verdict === 'tight') - Number(b.verdict === 'tight') ||
      a.secondsPerSample - b.secondsPerSample ||
      a.fit.tightest.peakBytes - b.fit.tightest.peakBytes,
  );
}

/** The first draft of each method, strategy with its schedule, and offload, on one card or on several: what a person chooses between. */
export function bestOfEachKind(ranked: readonly Draft[]): readonly Draft[] {
  const kinds = new Set<string>();
  return ranked.filter(({ candidate: { request } }) => {
    const { offload, schedule, strategy, training, world } = request;
    const kind = [training.method.kind, strategy, schedule, offload, world > 1].join(' ');
    return !kinds.has(kind) && kinds.add(kind);
  });
}

/** The best of each kind, and then the next best until there are enough. */
function shownOf(ranked: readonly Draft[]): readonly Draft[] {
  const bests = bestOfEachKind(ranked);
  // A draft that looks tight may prove to fit, so the fastest of what was asked are played whatever the quick form says.
  const others = ranked
    .filter((draft) => !bests.includes(draft))
    .sort(
      (one, other) =>
        Number(one.candidate.changesTraining) - Number(other.candidate.changesTraining) ||
        one.secondsPerSample - other.secondsPerSample,
    )
    .slice(0, Math.max(leastFurther, mostShown - bests.length));
  return ranked.filter((draft) => bests.includes(draft) || others.includes(draft));
}

interface Judged {
  readonly kind: 'judged';
  readonly draft: Draft;
  readonly judgement: Extract<Judgement, { kind: 'judged' }>;
}

/**
 * What is played of a draft until something fits: its micro-batch and the smaller ones, and for each the way to exchange gradients that
 * holds less where the draft has the other one.
 */
function requestsOf(question: PlanQuestion, { candidate: { request: chosen } }: Draft): EstimateRequest[] {
  const { gradientSync, microBatch: largest } = chosen.training;
  const choices = microBatchesOf(question, chosen).filter((count) => count <= largest);
  return [...choices].reverse().flatMap((microBatch) => {
    const request = withMicroBatch(chosen, microBatch, globalBatchOf(question));
    if (request === null) return [];
    const { training } = request;
    return gradientSync === null || question.wished.has('gradientSync')
      ? [request]
      : [request, { ...request, training: { ...training, gradientSync: null } }];
  });
}

/** Plays a draft in whole. Where the quick form said too much, the next of its requests is played. */
export function judgeDraft(
  question: PlanQuestion,
  draft: Draft,
): Judged | { readonly kind: 'refused'; readonly refused: Refused } {
  let tight: Judged | null = null;
  let need: RankNeed = draft.fit.tightest;
  for (const request of requestsOf(question, draft)) {
    const judgement = judge(question.architecture, request);
    if (judgement.kind === 'refused') {
      const { why } = judgement;
      return { kind: 'refused', refused: { candidate: draft.candidate, why, gap: null } };
    }
    const { verdict } = judgement;
    if (verdict === 'no') {
      need = needOf(judgement.cards) ?? need;
      continue;
    }
    const judged: Judged = {
      kind: 'judged',
      judgement,
      draft: {
        ...draft,
        candidate: { ...draft.candidate, request },
        verdict,
        secondsPerSample: secondsOf(question, request),
      },
    };
    // A draft that was thought to fit may do so with one sample less; one that was tight at best stays what it is.
    if (verdict === 'fits' || draft.verdict === 'tight') return judged;
    if (tight !== null) return tight;
    tight = judged;
  }
  if (tight !== null) return tight;
  const refused = peakTooLarge(question, draft.candidate, need);
  return { kind: 'refused', refused: { candidate: draft.candidate, ...refused } };
}

/** What the card with the least room would have to hold: what the allocator would reserve counts, as that is what did not fit. */
function needOf(cards: readonly CardEstimate[]): RankNeed | null {
  const needs = cards.map(({ cardBytes, contextBytes, rank, unlimitedProcessBytes }) => ({
    rank,
    cardBytes,
    contextBytes,
    processBytes: unlimitedProcessBytes,
    peakBytes: unlimitedProcessBytes - contextBytes,
  }));
  return tightestCard(needs);
}

function planList(question: PlanQuestion, judged: readonly Judged[]): readonly Plan[] {
  const order = rankDrafts(judged.map(({ draft }) => draft));
  const fitting = order.filter(({ verdict }) => verdict === 'fits');
  const fastest = Math.min(
    ...(fitting.length > 0 ? fitting : order).map(({ secondsPerSample }) => secondsPerSample),
  );
  return order.flatMap((draft, index) => {
    const found = judged.find((one) => one.draft === draft);
    return found === undefined ? [] : [planOf(question, found, index + 1, draft.secondsPerSample / fastest)];
  });
}

/** A judged draft as a plan of the answer. */
export function planOf(
  question: PlanQuestion,
  { draft, judgement }: Judged,
  rank: number,
  relativeStepTime: number,
): Plan {
  const { cards: used, changesTraining, request } = draft.candidate;
  const { training } = request;
  const { cards, hostBytes, measured } = judgement;
  const counts = countsOf(question.architecture, request);
  return {
    rank,
    method: training.method.kind,
    strategy: request.strategy,
    world: request.world,
    precision: training.precision,
    optimizer: training.optimizer,
    checkpointing: training.checkpointing,
    attention: training.attention,
    offload: request.offload,
    schedule: request.strategy === 'pipeline' ? request.schedule : null,
    stageLayers: stageLayersOf(question.architecture, request),
    expandableSegments: request.expandableSegments,
    microBatch: training.microBatch,
    accumulationSteps: training.accumulation,
    gradientSync: gradientSyncOf(request.strategy, training),
    verdict: draft.verdict,
    cards,
    cardIndices: used.map(({ index }) => index),
    hostBytes,
    relativeStepTime,
    why: whyOf({ request, counts, cards, hostBytes, changesTraining }),
    changesTraining,
    measured,
    request,
  };
}

function stageLayersOf(architecture: Architecture, request: EstimateRequest): readonly number[] | null {
  return request.strategy === 'pipeline' ? stageLayers(architecture, stageShares(request)) : null;
}

/** What the ranking took for granted. */
function assumptionsOf(question: PlanQuestion): readonly Message[] {
  const { cards, links, request, wished } = question;
  const assumptions: Message[] = [];
  if (cards.length > 1 && !links.read)
    assumptions.push(
      message(links.kind === 'nvlink' ? 'strategy.assumeNvlink' : 'strategy.assumePcie', {
        speed: links.betweenCardsBytesPerSecond,
      }),
    );
  if (question.hostBytes === null) assumptions.push(message('strategy.assumeHost'));
  if (request.card === null) assumptions.push(message('strategy.assumeCard'));
  if (question.globalBatch === null && !wished.has('microBatch'))
    assumptions.push(message('strategy.assumeBatch', { batch: globalBatchOf(question) }));
  return assumptions;
}
