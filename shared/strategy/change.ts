/** The cheapest single change that makes what was asked fit. */
import { message, type Message } from '../i18n/message';
import { checkRequest } from '../memory/check';
import { H200 } from '../memory/cards';
import type { EstimateRequest, Method } from '../memory/configuration';
import { MiB } from '../units';
import type { AskAnswer } from './ask';
import { hasBfloat16 } from './cardSpeed';
import { secondsOf, smallestBytes } from './draft';
import { byFreeMemory } from './enumerate';
import { judge, quickPeak, quickVerdict } from './judge';
import { plan, planOf } from './plan';
import { peakTooLarge } from './refusals';
import type { Candidate, Plan, PlanQuestion } from './types';

interface Change {
  /** What is added to the command. */
  readonly flags: string;
  readonly why: Message;
  readonly request: EstimateRequest;
  readonly changesTraining: boolean;
}

/**
 * Tries the changes from the cheapest on. The start is what the wishes say, with plain DDP or one card where they do not. Where none
 * is enough alone, the best plan stands for the several that are needed.
 */
export function cheapestChange(question: PlanQuestion): AskAnswer {
  const start = startOf(question);
  const asIs = planFor(question, start, false);
  if (asIs !== null) return { answer: null, plan: asIs, why: message('strategy.nothingToChange') };
  for (const { changesTraining, flags, request, why } of changesOf(start)) {
    const changed = planFor(question, request, changesTraining);
    if (changed !== null) return { answer: flags, plan: changed, why };
  }
  const [best] = plan(question).plans;
  if (best?.verdict === 'fits') return { answer: null, plan: best, why: message('strategy.severalChanges') };
  const cards = cardsFor(question, start);
  const candidate: Candidate = { request: start, cards, changesTraining: false };
  const refusal = peakTooLarge(question, candidate, quickPeak(question.architecture, start));
  return { answer: null, plan: null, why: refusal.why };
}

function startOf({ cards, request, wished }: PlanQuestion): EstimateRequest {
  const world = wished.has('world') ? Math.min(request.world, cards.length) : cards.length;
  const isSpread = world > 1;
  const strategy = wished.has('strategy') ? request.strategy : isSpread ? 'ddp-bucket-view' : 'single';
  const hasHalf = hasBfloat16(request.card ?? H200);
  const precision = wished.has('precision') || hasHalf ? request.training.precision : 'amp-fp16';
  return withCards(
    { cards },
    {
      ...request,
      strategy,
      world: strategy === 'single' ? 1 : world,
      training: { ...request.training, precision },
    },
  );
}

function withCards({ cards }: Pick<PlanQuestion, 'cards'>, request: EstimateRequest): EstimateRequest {
  const used = byFreeMemory(cards).slice(0, request.world);
  return { ...request, cardMib: used.map(({ freeBytes }) => freeBytes / MiB), timeline: false };
}

const cardsFor = ({ cards }: PlanQuestion, { world }: EstimateRequest): Candidate['cards'] =>
  byFreeMemory(cards).slice(0, world);

/** Only a sure fit counts as an answer. */
function planFor(question: PlanQuestion, request: EstimateRequest, changesTraining: boolean): Plan | null {
  const { architecture } = question;
  const cards = cardsFor(question, request);
  if (checkRequest(architecture, request) !== null) return null;
  const peak = quickPeak(architecture, request);
  if (quickVerdict(request, peak, smallestBytes(cards)) !== 'fits') return null;
  const judgement = judge(architecture, request);
  if (judgement.kind === 'refused' || judgement.verdict !== 'fits') return null;
  if (question.hostBytes !== null && judgement.hostBytes > question.hostBytes) return null;
  const draft = {
    candidate: { request, cards, changesTraining },
    quickPeakBytes: peak,
    verdict: judgement.verdict,
    secondsPerSample: secondsOf(question, request),
  };
  return planOf(question, { kind: 'judged', draft, judgement }, 1, 1);
}

/** From what costs nothing to what trains something else; each changes the start in one place. */
function* changesOf(start: EstimateRequest): Generator<Change> {
  const { strategy, training, world } = start;
  const change = (flags: string, why: Message, changed: Partial<EstimateRequest>): Change => ({
    flags,
    why,
    request: { ...start, ...changed },
    changesTraining: changed.training !== undefined && changed.training.method.kind !== training.method.kind,
  });
  const trained = (changed: Partial<EstimateRequest['training']>): Partial<EstimateRequest> => ({
    training: { ...training, ...changed },
  });
  if (!start.expandableSegments)
    yield change('--expandable-segments', message('strategy.changeExpandable'), { expandableSegments: true });
  if (training.microBatch > 1) {
    const accumulation = training.microBatch * training.accumulation;
    const changed = trained({ microBatch: 1, accumulation });
    yield change(
      `--micro-batch 1 --accumulation ${accumulation}`,
      message('strategy.changeMicroBatch'),
      changed,
    );
  }
  if (training.checkpointing.kind === 'none')
    yield change(
      '--checkpointing full',
      message('strategy.changeCheckpointing'),
      trained({ checkpointing: { kind: 'full' } }),
    );
  if (strategy.startsWith('ddp') && world > 1)
    for (const sharded of ['fsdp-grad-op', 'fsdp-full'] as const)
      yield change(`--strategy ${sharded}`, message('strategy.changeStrategy', { strategy: sharded }), {
        strategy: sharded,
      });
  if (training.precision.startsWith('amp') && hasBfloat16(start.card ?? H200))
    yield change('--precision bf16', message('strategy.changePrecision'), trained({ precision: 'bf16' }));
  if (training.optimizer.startsWith('adamw') && !training.optimizer.endsWith('8bit'))
    yield change(
      '--optimizer adamw-8bit',
      message('strategy.changeOptimizer'),
      trained({ optimizer: 'adamw-8bit' }),
    );
  if (start.offload === 'none')
    yield change('--strategy fsdp-full --offload all', message('strategy.changeOffload'), {
      strategy: 'fsdp-full',
      offload: 'all',
    });
  const sequence = Math.floor(training.sequence / 2);
  if (sequence > 0)
    yield change(
      `--seq ${sequence}`,
      message('strategy.changeSequence', { sequence }),
      trained({ sequence }),
    );
  if (training.method.kind === 'full') {
    const adapters = { rank: 16, targets: 'all-linear', dropout: 0, adapterType: 'fp32' } as const;
    const lora: Method = { kind: 'lora', adapters };
    const precision = hasBfloat16(start.card ?? H200) ? 'bf16' : training.precision;
    yield change(
      '--method lora --precision bf16',
      message('strategy.changeLora'),
      trained({ method: lora, precision }),
    );
    const qlora: Method = { kind: 'qlora', adapters, doubleQuantization: false };
    yield change(
      '--method qlora --precision bf16',
      message('strategy.changeQlora'),
      trained({ method: qlora, precision }),
    );
  }
}
