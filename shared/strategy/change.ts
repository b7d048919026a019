/** The cheapest single change that makes what was asked fit, or the fewest together. */
import { message, type Message } from '../i18n/message';
import { cardBytesOf } from '../memory/cardEstimate';
import { defaultAdapters, type EstimateRequest, isDdp, isMixed, type Method } from '../memory/configuration';
import { MiB } from '../units';
import type { AskAnswer } from './ask';
import { batchAgainst, draftOf, secondsOf } from './draft';
import { fewestMicroBatches, microBatchesOf, ranksOf, withMicroBatch } from './batch';
import { byFreeMemory, withAdapterType } from './enumerate';
import { judge, quickFit } from './judge';
import { pixelsFor } from './launchPlan';
import { plan, planOf } from './plan';
import { onlyTight } from './refusals';
import { hasBfloat16 } from './requestCard';
import { settingsAgainst } from './settingsAgainst';
import { rankStatesOf } from './states';
import type { PlanCandidate, Draft, Plan, PlanQuestion } from './types';
import { isWideAdamW } from '../memory/training/optimizers';

interface Change {
  /** What is added to the command: values by flag, so that changes can be put together. */
  readonly flags: Readonly<Record<string, string>>;
  readonly why: Message;
  readonly request: EstimateRequest;
  readonly changesTraining: boolean;
}

/** More changes than this at once are another plan, not a change of this one. */
const mostTogether = 3;

/**
 * Tries the changes from the cheapest on, then two and three of them together. The start is what the wishes say, with DDP or one card and
 * the smallest micro-batch that makes up the batch where they say nothing. Where not even three are enough, the best plan stands for all
 * that is needed.
 */
export function cheapestChange(question: PlanQuestion): AskAnswer {
  const start = startOf(question);
  const uneven = question.globalBatch === null ? null : batchAgainst(question, start);
  if (uneven !== null) return { answer: null, plan: null, why: uneven };
  const asIs = planFor(question, start, false);
  if (asIs !== null) return { answer: null, plan: asIs, why: message('strategy.nothingToChange') };
  for (const { changesTraining, flags, request, why } of changesOf(start)) {
    const changed = planFor(question, request, changesTraining);
    if (changed !== null) return { answer: textOf(flags), plan: changed, why };
  }
  for (let count = 2; count <= mostTogether; count += 1) {
    const together = firstThatFits(question, [...changesTogether(start, count)]);
    if (together !== null) return together;
  }
  const [best] = plan(question).plans;
  if (best?.verdict === 'fits') return { answer: null, plan: best, why: message('strategy.severalChanges') };
  return { answer: null, plan: null, why: whyNot(question, start) };
}

/** Why the start cannot be, by rule or by size, or that it may not. */
function whyNot(question: PlanQuestion, start: EstimateRequest): Message {
  const { training } = start;
  const asked: PlanQuestion = {
    ...question,
    globalBatch: training.microBatch * training.accumulation * ranksOf(start),
    request: { ...question.request, training },
    wished: new Set([...question.wished, 'microBatch', 'accumulation']),
  };
  const candidate = { request: start, cards: cardsFor(question, start), changesTraining: false };
  const drafting = draftOf(asked, candidate);
  return drafting.kind === 'refused' ? drafting.why : onlyTight(drafting.draft);
}

/** Of as many changes: what trains the same on the same data before what does not, then the faster. */
function firstThatFits(question: PlanQuestion, changes: readonly Change[]): AskAnswer | null {
  const concession = ({ changesTraining, flags }: Change): number =>
    (changesTraining ? 2 : 0) + ('seq' in flags ? 1 : 0);
  const timed = changes
    .map((change) => ({ change, seconds: secondsOf(question, change.request) }))
    .sort((a, b) => concession(a.change) - concession(b.change) || a.seconds - b.seconds);
  for (const { change } of timed) {
    const changed = planFor(question, change.request, change.changesTraining);
    if (changed === null) continue;
    const flags = textOf(change.flags);
    return { answer: flags, plan: changed, why: message('strategy.changesTogether', { flags }) };
  }
  return null;
}

/** Every choice of `count` different changes, each in the order in which single ones are tried. */
function* changesTogether(start: EstimateRequest, count: number): Generator<Change> {
  for (const first of changesOf(start)) {
    if (count === 1) yield first;
    else
      for (const rest of changesTogether(first.request, count - 1)) {
        const isLater = Object.keys(first.flags).every((flag) => !(flag in rest.flags));
        const inOrder = orderOf(rest.flags) > orderOf(first.flags);
        if (isLater && inOrder)
          yield {
            ...rest,
            flags: { ...first.flags, ...rest.flags },
            changesTraining: first.changesTraining || rest.changesTraining,
          };
      }
  }
}

const flagOrder = [
  'expandable-segments',
  'micro-batch',
  'checkpointing',
  'strategy',
  'precision',
  'optimizer',
  'offload',
  'seq',
  'method',
];

/** Where the first of these flags stands in the order of the changes. */
const orderOf = (flags: Change['flags']): number =>
  Math.min(
    ...Object.keys(flags)
      .map((flag) => flagOrder.indexOf(flag))
      .filter((place) => place >= 0),
  );

const textOf = (flags: Change['flags']): string =>
  Object.entries(flags)
    .map(([flag, value]) => (value === '' ? `--${flag}` : `--${flag} ${value}`))
    .join(' ');

function startOf(question: PlanQuestion): EstimateRequest {
  const { architecture, cards, request, wished } = question;
  const world = wished.has('world') ? Math.min(request.world, cards.length) : cards.length;
  const isSpread = world > 1;
  const strategy = wished.has('strategy') ? request.strategy : isSpread ? 'ddp-bucket-view' : 'single';
  const precision = wished.has('precision') || hasBfloat16(request) ? request.training.precision : 'amp-fp16';
  const cardCount = strategy === 'single' && !wished.has('world') ? 1 : world;
  return withBatch(question, {
    ...request,
    strategy,
    world: cardCount,
    cardMib: byFreeMemory(cards)
      .slice(0, cardCount)
      .map(({ freeBytes }) => freeBytes / MiB),
    timeline: false,
    training: { ...request.training, precision, pixels: pixelsFor(architecture) },
  });
}

/** The batch that was named in its smallest micro-batches, else one micro-batch, or as many as a pipeline's schedule needs. */
function withBatch(question: PlanQuestion, request: EstimateRequest): EstimateRequest {
  const { globalBatch } = question;
  const { training } = request;
  if (globalBatch === null) {
    const accumulation = Math.max(training.accumulation, fewestMicroBatches(request));
    return { ...request, training: { ...training, accumulation } };
  }
  const [smallest = training.microBatch] = microBatchesOf(question, request);
  return withMicroBatch(request, smallest, globalBatch) ?? request;
}

/** A changed request whose ranks make up the batch that was named, in its micro-batches; null where those do not. */
const withNamedBatch = ({ globalBatch }: PlanQuestion, request: EstimateRequest): EstimateRequest | null =>
  globalBatch === null ? request : withMicroBatch(request, request.training.microBatch, globalBatch);

const cardsFor = ({ cards }: PlanQuestion, { world }: EstimateRequest): PlanCandidate['cards'] =>
  byFreeMemory(cards).slice(0, world);

/** Only a sure fit counts as an answer. */
function planFor(question: PlanQuestion, changed: EstimateRequest, changesTraining: boolean): Plan | null {
  const { architecture } = question;
  const request = withNamedBatch(question, withAdapterType(changed, question.wished));
  if (request === null) return null;
  if (settingsAgainst(architecture, request) !== null) return null;
  // Most choices of several changes fall here, without being played.
  if (hasTooLargeStates(question, request)) return null;
  const fit = quickFit(architecture, request);
  if (fit.verdict !== 'fits') return null;
  const judgement = judge(architecture, request);
  if (judgement.kind === 'refused' || judgement.verdict !== 'fits') return null;
  if (question.hostBytes !== null && judgement.hostBytes > question.hostBytes) return null;
  const draft: Draft = {
    candidate: { request, cards: cardsFor(question, request), changesTraining },
    fit,
    verdict: judgement.verdict,
    secondsPerSample: secondsOf(question, request),
  };
  return planOf(question, { kind: 'judged', draft, judgement }, 1, 1);
}

const hasTooLargeStates = ({ architecture }: PlanQuestion, request: EstimateRequest): boolean =>
  rankStatesOf(architecture, request).some(
    ({ totalBytes }, rank) => totalBytes > (cardBytesOf(request, rank) ?? Infinity),
  );

/** From what costs nothing to what trains something else; each changes the start in one place. */
function* changesOf(start: EstimateRequest): Generator<Change> {
  const { strategy, training, world } = start;
  const change = (flags: Change['flags'], why: Message, changed: Partial<EstimateRequest>): Change => ({
    flags,
    why,
    request: { ...start, ...changed },
    changesTraining: changed.training !== undefined && changed.training.method.kind !== training.method.kind,
  });
  const trained = (changed: Partial<EstimateRequest['training']>): Partial<EstimateRequest> => ({
    training: { ...training, ...changed },
  });
  if (!start.expandableSegments)
    yield change({ 'expandable-segments': '' }, message('strategy.changeExpandable'), {
      expandableSegments: true,
    });
  if (training.microBatch > 1) {
    const accumulation = training.microBatch * training.accumulation;
    const changed = trained({ microBatch: 1, accumulation });
    yield change(
      { 'micro-batch': '1', accumulation: String(accumulation) },
      message('strategy.changeMicroBatch'),
      changed,
    );
  }
  if (training.checkpointing.kind === 'none')
    yield change(
      { checkpointing: 'full' },
      message('strategy.changeCheckpointing'),
      trained({ checkpointing: { kind: 'full' } }),
    );
  if (isDdp(strategy) && world > 1)
    for (const sharded of ['fsdp-grad-op', 'fsdp-full'] as const)
      yield change({ strategy: sharded }, message('strategy.changeStrategy', { strategy: sharded }), {
        strategy: sharded,
      });
  if (isMixed(training.precision) && hasBfloat16(start))
    yield change({ precision: 'bf16' }, message('strategy.changePrecision'), trained({ precision: 'bf16' }));
  if (isWideAdamW(training.optimizer))
    yield change(
      { optimizer: 'adamw-8bit' },
      message('strategy.changeOptimizer'),
      trained({ optimizer: 'adamw-8bit' }),
    );
  if (start.offload === 'none')
    yield change({ strategy: 'fsdp-full', offload: 'all' }, message('strategy.changeOffload'), {
      strategy: 'fsdp-full',
      offload: 'all',
    });
  const sequence = Math.floor(training.sequence / 2);
  if (sequence > 0)
    yield change(
      { seq: String(sequence) },
      message('strategy.changeSequence', { sequence }),
      trained({ sequence }),
    );
  if (training.method.kind === 'full') {
    const lora: Method = { kind: 'lora', adapters: defaultAdapters };
    const precision = hasBfloat16(start) ? 'bf16' : training.precision;
    yield change(
      { method: 'lora', precision },
      message('strategy.changeLora'),
      trained({ method: lora, precision }),
    );
    const qlora: Method = { kind: 'qlora', adapters: defaultAdapters, doubleQuantization: false };
    yield change(
      { method: 'qlora', precision },
      message('strategy.changeQlora'),
      trained({ method: qlora, precision }),
    );
  }
}
