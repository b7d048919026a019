/** The questions that are asked back: longest sequence, largest batch, smallest card; the cheapest change is in `change.ts`. */
import { message, type Message } from '../i18n/message';
import { isImageModel } from '../memory/check';
import { largestMicroBatches } from '../memory/largestOnCards';
import { MiB } from '../units';
import type { EstimateRequest } from '../memory/configuration';
import type { RequestKey } from '../memory/request';
import { cheapestChange } from './change';
import { draftOf, type Obstacle } from './draft';
import { fewestMicroBatches, ranksOf } from './batch';
import { againstWishes, candidatesOf } from './enumerate';
import { judgeDraft, planOf, rankDrafts } from './plan';
import { onlyTight } from './refusals';
import { tightestCard } from './tightest';
import type { Draft, Plan, PlanQuestion } from './types';

/** Under the names of the command. */
export const asks = ['longest-seq', 'largest-batch', 'smallest-card', 'cheapest-change'] as const;
export type Ask = (typeof asks)[number];

export interface AskAnswer {
  /** Tokens, samples at once over all cards, bytes of a card, or the flags that change; null: there is none. */
  readonly answer: number | string | null;
  /** The plan that the answer is of. */
  readonly plan: Plan | null;
  readonly why: Message;
}

/** Answers one of the questions for what the wishes leave open. */
export function ask(question: PlanQuestion, what: Ask): AskAnswer {
  const impossible = againstWishes(question);
  if (impossible !== null) return { answer: null, plan: null, why: impossible };
  switch (what) {
    case 'longest-seq':
      return longestSequence(question);
    case 'largest-batch':
      return largestBatch(question);
    case 'smallest-card':
      return smallestCard(question);
    case 'cheapest-change':
      return cheapestChange(question);
  }
}

/** Lengths are looked for in steps of this many tokens: kernels work on tiles of 64 and 128 rows. */
const sequenceStep = 64;
/** No longer sample is looked for where the model sets no limit. */
const mostTokens = 2 ** 20;

function withSequence(question: PlanQuestion, sequence: number): PlanQuestion {
  const { request } = question;
  return { ...question, request: { ...request, training: { ...request.training, sequence } } };
}

/** One sample at a time on each card, or as many as were wished. */
function oneSample(question: PlanQuestion): PlanQuestion {
  const { request, wished } = question;
  const microBatch = wished.has('microBatch') ? request.training.microBatch : 1;
  return {
    ...question,
    request: { ...request, training: { ...request.training, microBatch } },
    wished: new Set([...wished, 'microBatch']),
  };
}

function longestSequence(asked: PlanQuestion): AskAnswer {
  if (isImageModel(asked.architecture))
    return { answer: null, plan: null, why: message('strategy.sequenceOfImages') };
  const question = oneSample(asked);
  const limit = positionsOf(question);
  const drafts = (steps: number): readonly Draft[] =>
    rankDrafts(allDrafts(withSequence(question, lengthOf(steps, limit))));
  const most = Math.ceil(limit / sequenceStep);
  const found = largestWhere(most, (steps) => drafts(steps).some(({ verdict }) => verdict === 'fits'));
  const longest = largestPlanned(found, (steps) =>
    firstPlan(withSequence(question, lengthOf(steps, limit)), drafts(steps)),
  );
  if (longest === null) return nothing(withSequence(question, lengthOf(1, limit)));
  const { count, plan } = longest;
  const sequence = lengthOf(count, limit);
  const why =
    sequence === limit && limit < mostTokens
      ? message('strategy.longestByModel', { sequence })
      : message('strategy.longestSequence', { sequence, ...sizesOf(plan) });
  return { answer: sequence, plan, why };
}

/**
 * The largest number up to `most` of which there is a plan, which is there for all smaller ones. The quick form that `most` comes from may
 * be a little too hopeful, so whole plays walk down from it by growing steps and then halve the last one.
 */
function largestPlanned(
  most: number,
  planWith: (count: number) => Plan | null,
): { readonly count: number; readonly plan: Plan } | null {
  let [above, step] = [most + 1, 1];
  while (above > 1) {
    const count = Math.max(1, above - step);
    let plan = planWith(count);
    if (plan === null) {
      [above, step] = [count, step * 2];
      continue;
    }
    let below = count;
    while (above - below > 1) {
      const middle = Math.floor((below + above) / 2);
      const between = planWith(middle);
      if (between === null) above = middle;
      else [below, plan] = [middle, between];
    }
    return { count: below, plan };
  }
  return null;
}

const lengthOf = (steps: number, limit: number): number => Math.min(limit, steps * sequenceStep);

function positionsOf({ architecture }: PlanQuestion): number {
  const limits = architecture.stacks.flatMap(({ inputs, maxPositions }) =>
    inputs.kind === 'tokens' && maxPositions !== null ? [maxPositions] : [],
  );
  return Math.min(mostTokens, ...limits);
}

function sizesOf({ cards, world }: Plan): { peak: number; card: number | null; count: number } {
  const tightest = tightestCard(cards);
  return { peak: tightest?.processBytes ?? 0, card: tightest?.cardBytes ?? null, count: world };
}

/** Drafts of what was asked, without concessions. */
function allDrafts(question: PlanQuestion): readonly Draft[] {
  return [...candidatesOf(question, 'asked')].flatMap((candidate) => {
    const drafting = draftOf(withBatchFor(question, candidate.request), candidate);
    return drafting.kind === 'draft' ? [drafting.draft] : [];
  });
}

/**
 * The question with the batch of one way to train: the one that was named, else one step of the micro-batch on every rank that takes
 * samples of its own. Micro-batches accumulate where that was wished, and in a pipeline, as many as its schedule needs.
 */
function withBatchFor(question: PlanQuestion, request: EstimateRequest): PlanQuestion {
  if (question.globalBatch !== null) return question;
  const { training } = question.request;
  const accumulation = Math.max(training.accumulation, fewestMicroBatches(request));
  return {
    ...question,
    globalBatch: training.microBatch * accumulation * ranksOf(request),
    request: { ...question.request, training: { ...training, accumulation } },
    wished: new Set([...question.wished, 'accumulation']),
  };
}

function firstPlan(question: PlanQuestion, drafts: readonly Draft[]): Plan | null {
  for (const draft of drafts) {
    if (draft.verdict !== 'fits') continue;
    const judged = judgeDraft(withBatchFor(question, draft.candidate.request), draft);
    if (judged.kind === 'judged' && judged.draft.verdict === 'fits') return planOf(question, judged, 1, 1);
  }
  return null;
}

/** The largest number from 1 to `most` for which a condition holds that fails for all above its first failure; 0: none. */
function largestWhere(most: number, holds: (count: number) => boolean): number {
  let low = 0;
  let high = 1;
  while (high <= most && holds(high)) {
    low = high;
    high *= 2;
  }
  high = Math.min(high, most + 1);
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle)) low = middle;
    else high = middle;
  }
  return low;
}

/** Samples at once, whatever batch was named: what completes steps, found by the engine, and where a training can begin with them. */
function largestBatch(asked: PlanQuestion): AskAnswer {
  const question = oneSample({ ...asked, globalBatch: null });
  let best: { readonly total: number; readonly micro: number; readonly plan: Plan } | null = null;
  for (const draft of rankDrafts(allDrafts(question))) {
    const { request } = draft.candidate;
    const ranks = ranksOf(request);
    let micro = largestMicroBatches(question.architecture, request)?.atStart ?? 0;
    // A run that just completes by giving its cache back is no plan: the next smaller one that is judged to fit is.
    for (; micro * ranks > (best?.total ?? 0); micro--) {
      const plan = planWithMicroBatch(question, draft, micro);
      if (plan === null) continue;
      best = { total: micro * ranks, micro, plan };
      break;
    }
  }
  if (best === null) return nothing(question);
  const { micro, plan, total } = best;
  return {
    answer: total,
    plan,
    why: message('strategy.largestBatch', { micro, total, count: ranksOf(plan.request) }),
  };
}

/** The draft as a plan of that micro-batch and no more samples; null where it is not judged to fit. */
function planWithMicroBatch(question: PlanQuestion, draft: Draft, microBatch: number): Plan | null {
  const { request } = draft.candidate;
  const training = { ...request.training, microBatch };
  const whole = {
    ...question,
    globalBatch: microBatch * ranksOf(request) * training.accumulation,
    request: { ...question.request, training },
    wished: new Set<RequestKey>([...question.wished, 'accumulation']),
  };
  const candidate = { ...draft.candidate, request: { ...request, training } };
  const judged = judgeDraft(whole, { ...draft, candidate, verdict: 'tight' });
  return judged.kind === 'judged' ? planOf(whole, judged, 1, 1) : null;
}

/** The least memory of each card, all alike, on which something that was asked fits. */
function smallestCard(asked: PlanQuestion): AskAnswer {
  const question = withCards(oneSample(asked), 2 ** 50);
  const expectedBytes = ({ fit }: Draft): number => fit.tightest.processBytes;
  const drafts = [...allDrafts(question)].sort((a, b) => expectedBytes(a) - expectedBytes(b));
  let least: number | null = null;
  for (const draft of drafts) {
    // What a process needs for sure is no less than what is expected.
    if (least !== null && expectedBytes(draft) >= least) break;
    const judged = judgeDraft(withBatchFor(question, draft.candidate.request), draft);
    if (judged.kind !== 'judged') continue;
    const needed = Math.max(...judged.judgement.cards.map(({ interval }) => interval.highBytes));
    least = Math.min(least ?? Infinity, Math.ceil(needed / MiB) * MiB);
  }
  if (least === null) return nothing(question);
  const sized = withCards(question, least);
  const plan = firstPlan(sized, rankDrafts(allDrafts(sized)));
  if (plan === null) return nothing(sized);
  return {
    answer: least,
    plan,
    why: message('strategy.smallestCard', { card: least, count: plan.world }),
  };
}

function withCards(question: PlanQuestion, bytes: number): PlanQuestion {
  return {
    ...question,
    cards: question.cards.map(({ index }) => ({ index, totalBytes: bytes, freeBytes: bytes })),
  };
}

/** Why not even the least that was asked fits: what comes nearest is told. */
function nothing(question: PlanQuestion): AskAnswer {
  const draftings = [...candidatesOf(question, 'asked')].map((candidate) =>
    draftOf(withBatchFor(question, candidate.request), candidate),
  );
  const missingBytes = ({ gap }: Obstacle): number =>
    gap === null ? Infinity : gap.needBytes - gap.cardBytes;
  const refused = draftings.filter((drafting) => drafting.kind === 'refused');
  const [nearest] = [...refused].sort((a, b) => missingBytes(a) - missingBytes(b));
  const [tight] = draftings.filter((drafting) => drafting.kind === 'draft');
  const why = tight === undefined ? nearest?.why : onlyTight(tight.draft);
  return { answer: null, plan: null, why: why ?? message('strategy.noCards') };
}
