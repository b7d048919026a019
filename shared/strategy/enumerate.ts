/** Every way to train that the wishes leave open. What costs nothing (fused optimizer, expandable segments, bf16) is always taken. */
import { message, type Message } from '../i18n/message';
import type { EstimateRequest, Method, Offload, Precision, Strategy } from '../memory/configuration';
import { defaultAdapters, isZero, strategyNames } from '../memory/configuration';
import type { Checkpointing } from '../memory/tape/checkpointing';
import type { OptimizerName } from '../memory/training/optimizers';
import type { Schedule } from '../memory/training/pipeline/schedule';
import { MiB } from '../units';
import { pixelsFor } from './launchPlan';
import { hasBfloat16 } from './requestCard';
import type { PlanCandidate, PlanCard, PlanQuestion } from './types';

/**
 * `asked`: what was asked, at the cost of time only. `narrower`: the same parameters trained with fewer bytes of state.
 * `adapters`: other parameters are trained, which is offered and never swapped in.
 */
export type Scope = 'asked' | 'narrower' | 'adapters';

const shardedStrategies: readonly Strategy[] = ['fsdp-full', 'fsdp-grad-op'];

/** What one card can do without others, if only to try a script. */
const strategiesOfOneCard: readonly Strategy[] = ['single', 'ddp', 'ddp-bucket-view', ...shardedStrategies];

/** Why no candidate can meet the wishes, whatever the model; null: some may. */
export function againstWishes({ cards, request, wished }: PlanQuestion): Message | null {
  const { strategy, world } = request;
  if (cards.length === 0) return message('strategy.noCards');
  if (wished.has('world') && world > cards.length)
    return message('strategy.worldBeyondCards', { world, cards: cards.length });
  const isAlone = cards.length === 1 || (wished.has('world') && world === 1);
  return wished.has('strategy') && isAlone && !strategiesOfOneCard.includes(strategy)
    ? message('strategy.needsSeveralCards', { strategy })
    : null;
}

/** Largest free memory first; among equals in nvidia-smi's order. */
export function byFreeMemory(cards: readonly PlanCard[]): readonly PlanCard[] {
  return [...cards].sort((a, b) => b.freeBytes - a.freeBytes || a.index - b.index);
}

/** The candidates of a scope. The micro-batch is 1 until it is chosen; accumulation keeps the global batch. */
export function* candidatesOf(question: PlanQuestion, scope: Scope): Generator<PlanCandidate> {
  for (const method of methodsOf(question, scope))
    for (const world of worldsOf(question))
      for (const strategy of strategiesOf(question, world, scope))
        for (const schedule of schedulesOf(question, strategy))
          for (const offload of offloadsOf(question, strategy))
            for (const { optimizer, precision } of numbersOf(question, method, strategy, scope))
              for (const checkpointing of checkpointingsOf(question)) {
                const choice = {
                  method,
                  world,
                  strategy,
                  schedule,
                  offload,
                  precision,
                  optimizer,
                  checkpointing,
                };
                if (isOfUse(question, choice)) yield candidate(question, scope, choice);
              }
}

/** One rank that shares nothing and moves nothing is what nobody needs and some ask for, to try a script. */
const isOfUse = ({ wished }: PlanQuestion, { offload, strategy, world }: Choice): boolean =>
  world > 1 || strategy === 'single' || offload !== 'none' || wished.has('strategy');

interface Choice {
  readonly method: Method;
  readonly world: number;
  readonly strategy: Strategy;
  readonly schedule: Schedule;
  readonly offload: Offload;
  readonly precision: Precision;
  readonly optimizer: OptimizerName;
  readonly checkpointing: Checkpointing;
}

function candidate(question: PlanQuestion, scope: Scope, choice: Choice): PlanCandidate {
  const { request, wished } = question;
  const { checkpointing, method, offload, optimizer, precision, schedule, strategy, world } = choice;
  const cards = byFreeMemory(question.cards).slice(0, world);
  return {
    request: withAdapterType(
      {
        ...request,
        training: {
          ...request.training,
          method,
          precision,
          optimizer,
          checkpointing,
          gradientSync: wished.has('gradientSync') ? request.training.gradientSync : null,
          pixels: pixelsFor(question.architecture),
        },
        strategy,
        world,
        offload,
        schedule,
        expandableSegments: true,
        cardMib: cards.map(({ freeBytes }) => freeBytes / MiB),
        timeline: false,
      },
      wished,
    ),
    cards,
    changesTraining: scope === 'adapters',
  };
}

/** All parameters of a group that FSDP2 shards have one type, so adapters there take the base's, as `train.py` does. */
export function withAdapterType(request: EstimateRequest, wished: PlanQuestion['wished']): EstimateRequest {
  const { strategy, training } = request;
  const { method, precision } = training;
  if (method.kind === 'full' || !shardedStrategies.includes(strategy) || precision !== 'bf16') return request;
  if (wished.has('adapterDtype')) return request;
  const adapters = { ...method.adapters, adapterType: 'model' } as const;
  return { ...request, training: { ...training, method: { ...method, adapters } } };
}

function methodsOf({ request: { training } }: PlanQuestion, scope: Scope): readonly Method[] {
  const { method } = training;
  if (scope !== 'adapters') return [method];
  const adapters = method.kind === 'full' ? defaultAdapters : method.adapters;
  const quantised: Method = { kind: 'qlora', adapters, doubleQuantization: false };
  if (method.kind === 'qlora') return [];
  return method.kind === 'lora' ? [quantised] : [{ kind: 'lora', adapters }, quantised];
}

/**
 * A card with less than this part of the next larger one's memory is small enough to be left out. Nearer ones differ by what a desktop or
 * a driver holds, and a plan without them would lose more time than the memory is worth. Assumed; it only adds ways to look at.
 */
const clearlySmaller = 0.9;

/** One card; all; and all without the smaller ones, because the smallest binds where every rank does the same. */
function worldsOf({ cards, request, wished }: PlanQuestion): readonly number[] {
  if (wished.has('world')) return request.world <= cards.length ? [request.world] : [];
  const sorted = byFreeMemory(cards);
  const drops = sorted.flatMap(({ freeBytes }, index) => {
    const before = sorted[index - 1];
    return before !== undefined && freeBytes < clearlySmaller * before.freeBytes ? [index] : [];
  });
  return [...new Set([cards.length, ...drops, 1])].sort((a, b) => b - a);
}

/** Adapters are offered in the ways that are usual for them: whoever wants another one asks for it. */
const adapterStrategies: readonly Strategy[] = ['single', 'ddp-bucket-view', 'fsdp-full'];

function strategiesOf(
  { cards, request, wished }: PlanQuestion,
  world: number,
  scope: Scope,
): readonly Strategy[] {
  /** One rank is not one of several possible numbers, but all that there are cards for, or that was wished. */
  const isOneMeant = cards.length === 1 || wished.has('world');
  if (wished.has('strategy')) {
    const isSingle = request.strategy === 'single';
    // One card of several is all that it can use; where several were wished as well, the reason is told.
    const isPossible =
      world > 1
        ? !isSingle || wished.has('world')
        : isSingle || (isOneMeant && strategiesOfOneCard.includes(request.strategy));
    return isPossible ? [request.strategy] : [];
  }
  const usual = scope === 'adapters' ? adapterStrategies : strategyNames;
  return usual.filter((strategy) => {
    if (world > 1) return strategy !== 'single';
    // One card of several is a choice where it is enough; sharding over one only serves offloading.
    return strategy === 'single' || (strategy === 'fsdp-full' && isOneMeant);
  });
}

/** GPipe keeps more micro-batches in flight than 1F1B in the same time, so it is for those who ask for it. */
function schedulesOf({ request, wished }: PlanQuestion, strategy: Strategy): readonly Schedule[] {
  if (strategy !== 'pipeline' || wished.has('schedule')) return [request.schedule];
  return ['1f1b', 'sequential'];
}

/** Offloading is tried where something can be moved: FSDP moves all of it, ZeRO the optimizer or all. */
function offloadsOf({ request, wished }: PlanQuestion, strategy: Strategy): readonly Offload[] {
  if (wished.has('offload')) return [request.offload];
  if (shardedStrategies.includes(strategy)) return strategy === 'fsdp-full' ? ['none', 'all'] : ['none'];
  if (strategy === 'zero3') return ['none', 'optimizer', 'all'];
  if (isZero(strategy)) return ['none', 'optimizer'];
  return ['none'];
}

interface Numbers {
  readonly precision: Precision;
  readonly optimizer: OptimizerName;
}

/**
 * Full fine-tuning keeps fp32 weights under autocast; weights in bf16 and 8-bit optimizers are narrower. A frozen base loses
 * nothing in bf16. Before Ampere there is no bf16: fp16 with a scaler.
 */
function numbersOf(
  question: PlanQuestion,
  method: Method,
  strategy: Strategy,
  scope: Scope,
): readonly Numbers[] {
  const { request, wished } = question;
  const { training } = request;
  const hasHalf = hasBfloat16(request);
  const usual: Precision = !hasHalf ? 'amp-fp16' : method.kind === 'full' ? 'amp-bf16' : 'bf16';
  const precision = wished.has('precision') ? training.precision : usual;
  const optimizer = wished.has('optimizer') ? training.optimizer : 'adamw-fused';
  if (scope !== 'narrower') return [{ precision, optimizer }];
  const narrower: Numbers[] = [];
  const canNarrow = method.kind === 'full' && !wished.has('precision') && hasHalf;
  if (canNarrow) narrower.push({ precision: 'bf16', optimizer });
  // bitsandbytes' states do not know FSDP2's sharded tensors, and DeepSpeed makes an optimizer of its own.
  const takesEightBit = !shardedStrategies.includes(strategy) && !isZero(strategy);
  if (method.kind === 'full' && !wished.has('optimizer') && takesEightBit) {
    narrower.push({ precision, optimizer: 'adamw-8bit' });
    if (canNarrow) narrower.push({ precision: 'bf16', optimizer: 'adamw-8bit' });
  }
  return narrower;
}

function checkpointingsOf({ request, wished }: PlanQuestion): readonly Checkpointing[] {
  return wished.has('checkpointing')
    ? [request.training.checkpointing]
    : [{ kind: 'none' }, { kind: 'full' }];
}
