/** A plan looked at closely: the course of its step, what it rests on, and what each single change would do to it. */
import type { Message } from '../i18n/message';
import { message } from '../i18n/message';
import { checkRequest } from '../memory/check';
import { H200 } from '../memory/cards';
import type { EstimateRequest, Method } from '../memory/configuration';
import { type CardEstimate, type Estimate, estimate } from '../memory/estimate';
import { hasBfloat16 } from './cardSpeed';
import { secondsOf } from './draft';
import { globalBatchOf, withMicroBatch } from './enumerate';
import { expectedContext, played, quickPeak, quickVerdict } from './judge';
import type { Plan, PlanQuestion, PlanVerdict } from './types';
import type { PlanWishes } from './wizard/answers';

export interface PlanDetail {
  /** One a rank, with the course of its step. */
  readonly cards: readonly CardEstimate[];
  readonly assumptions: readonly Message[];
  readonly warnings: readonly Message[];
  readonly parameters: number;
  readonly trainableParameters: number;
  /** The largest micro-batch that completes steps on these cards; null: not known (yet). */
  readonly maxMicroBatch: number | null;
  /** Single changes, in the order from what costs nothing on; empty until they are worked out. */
  readonly changes: readonly PlanChange[];
}

export interface PlanChange {
  readonly kind: ChangeKind;
  /** The change as an instruction. */
  readonly name: Message;
  /** The answers of the wizard that this change replaces. */
  readonly wishes: Partial<PlanWishes>;
  /** What the fullest process would hold on its card, allocator and CUDA together. */
  readonly processPeakBytes: number;
  /** By how much the allocator's peak falls; negative: it rises. */
  readonly savedBytes: number;
  /** Time of a sample; 1: this plan's. */
  readonly relativeStepTime: number;
  readonly verdict: PlanVerdict | 'no';
  /** Other parameters are trained, or other bytes of them. */
  readonly changesTraining: boolean;
}

export type ChangeKind =
  | 'fused-optimizer'
  | 'attention-kernel'
  | 'micro-batch'
  | 'checkpointing'
  | 'no-checkpointing'
  | 'gradient-shards'
  | 'full-shards'
  | 'precision'
  | 'double-quantization'
  | 'eight-bit-optimizer'
  | 'sequence'
  | 'offload'
  | 'lora'
  | 'qlora';

export type DetailAnswer =
  | { readonly kind: 'detail'; readonly detail: PlanDetail }
  | { readonly kind: 'refused'; readonly why: Message };

/** Plays the plan once more with the course of its step. The changes and the largest micro-batch are not worked out yet. */
export function detailOf({ architecture }: PlanQuestion, { request }: Plan): DetailAnswer {
  const answer = estimate(architecture, { ...played(request), timeline: true }, false);
  if (answer.kind === 'refused') return { kind: 'refused', why: answer.reason };
  return { kind: 'detail', detail: shown(answer.estimate) };
}

const shown = ({ hostBytes: _host, measured: _measured, ...rest }: Estimate): PlanDetail => ({
  ...rest,
  changes: [],
});

/** The largest micro-batch on the plan's cards, which takes several plays; null where the engine refuses. */
export function largestOf({ architecture }: PlanQuestion, { request }: Plan): number | null {
  const answer = estimate(architecture, played(request), true);
  const largest = answer.kind === 'estimate' ? answer.estimate.maxMicroBatch : null;
  // The search counts the building of the model, which launch files do elsewhere; a plan that fits disproves its answer.
  return largest !== null && largest < request.training.microBatch ? null : largest;
}

/** What each single change would do, one after the other: some milliseconds each. What contradicts the engine is left out. */
export function* changesOf(question: PlanQuestion, plan: Plan): Generator<PlanChange> {
  const { architecture } = question;
  const before = quickPeak(architecture, plan.request);
  const secondsBefore = secondsOf(question, plan.request);
  const cardBytes = Math.min(...plan.cards.map((card) => card.cardBytes ?? Infinity));
  for (const { changesTraining, kind, name, request, wishes } of drafts(question, plan)) {
    if (checkRequest(architecture, request) !== null) continue;
    const peakBytes = quickPeak(architecture, request);
    yield {
      kind,
      name,
      wishes,
      processPeakBytes: peakBytes + expectedContext(request),
      savedBytes: before - peakBytes,
      relativeStepTime: secondsOf(question, request) / secondsBefore,
      verdict: quickVerdict(request, peakBytes, cardBytes) ?? 'no',
      changesTraining,
    };
  }
}

interface DraftChange {
  readonly kind: ChangeKind;
  readonly name: Message;
  readonly request: EstimateRequest;
  readonly wishes: Partial<PlanWishes>;
  readonly changesTraining: boolean;
}

function* drafts(question: PlanQuestion, { request }: Plan): Generator<DraftChange> {
  const { training, world } = request;
  const { attention, checkpointing, microBatch, optimizer, precision } = training;
  const trained = (
    kind: ChangeKind,
    name: Message,
    changed: Partial<EstimateRequest['training']>,
    wishes: Partial<PlanWishes>,
    changesTraining = false,
  ): DraftChange => ({
    kind,
    name,
    request: { ...request, training: { ...training, ...changed } },
    wishes,
    changesTraining,
  });
  const spread = (kind: ChangeKind, name: Message, changed: Partial<EstimateRequest>): DraftChange => ({
    kind,
    name,
    request: { ...request, ...changed },
    wishes: {
      ...(changed.strategy === undefined ? {} : { strategy: changed.strategy }),
      ...(changed.offload === undefined ? {} : { offload: changed.offload }),
    },
    changesTraining: false,
  });
  const hasHalf = hasBfloat16(request.card ?? H200);

  if (optimizer === 'adamw' || optimizer === 'adamw-loop')
    yield trained(
      'fused-optimizer',
      message('planChange.fusedOptimizer'),
      { optimizer: 'adamw-fused' },
      { optimizer: 'adamw-fused' },
    );
  if (attention === 'eager' || attention === 'math')
    yield trained(
      'attention-kernel',
      message('planChange.attentionKernel'),
      { attention: 'sdpa' },
      { attention: 'sdpa' },
    );
  if (microBatch > 1 && microBatch % 2 === 0) {
    const half = withMicroBatch(request, microBatch / 2, globalBatchOf(question));
    if (half !== null)
      yield {
        kind: 'micro-batch',
        name: message('planChange.microBatch', {
          micro: microBatch / 2,
          steps: half.training.accumulation,
        }),
        request: half,
        wishes: { microBatch: microBatch / 2, globalBatch: globalBatchOf(question) },
        changesTraining: false,
      };
  }
  if (checkpointing.kind === 'none')
    yield trained(
      'checkpointing',
      message('planChange.checkpointing'),
      { checkpointing: { kind: 'full' } },
      { checkpointing: 'full' },
    );
  else
    yield trained(
      'no-checkpointing',
      message('planChange.noCheckpointing'),
      { checkpointing: { kind: 'none' } },
      { checkpointing: 'none' },
    );
  yield* shards(request, spread);
  if (training.method.kind === 'full' && precision.startsWith('amp') && hasHalf)
    yield trained(
      'precision',
      message('planChange.precision'),
      { precision: 'bf16' },
      { precision: 'bf16' },
      true,
    );
  if (training.method.kind === 'qlora' && !training.method.doubleQuantization)
    yield trained(
      'double-quantization',
      message('planChange.doubleQuantization'),
      { method: { ...training.method, doubleQuantization: true } },
      { doubleQuant: true },
    );
  if (optimizer.startsWith('adamw') && !optimizer.endsWith('8bit') && !request.strategy.startsWith('fsdp'))
    yield trained(
      'eight-bit-optimizer',
      message('planChange.eightBitOptimizer'),
      { optimizer: 'adamw-8bit' },
      { optimizer: 'adamw-8bit' },
      true,
    );
  const sequence = Math.floor(training.sequence / 2);
  if (sequence > 0 && readsTokens(question))
    yield trained('sequence', message('planChange.sequence', { sequence }), { sequence }, { sequence }, true);
  if (request.offload === 'none' && world > 1)
    yield spread('offload', message('planChange.offload'), { strategy: 'fsdp-full', offload: 'all' });
  yield* adapters(training.method, hasHalf, trained);
}

const readsTokens = ({ architecture }: PlanQuestion): boolean =>
  architecture.stacks.some(({ inputs }) => inputs.kind === 'tokens');

/** Splitting what every card holds in whole. */
function* shards(
  { strategy, training, world }: EstimateRequest,
  spread: (kind: ChangeKind, name: Message, changed: Partial<EstimateRequest>) => DraftChange,
): Generator<DraftChange> {
  const cannot = training.method.kind === 'qlora' || training.optimizer.endsWith('8bit');
  if (world < 2 || cannot) return;
  const isWhole = strategy.startsWith('ddp') || strategy === 'dp' || strategy === 'single';
  if (isWhole)
    yield spread('gradient-shards', message('planChange.gradientShards'), { strategy: 'fsdp-grad-op' });
  if (isWhole || strategy === 'fsdp-grad-op')
    yield spread('full-shards', message('planChange.fullShards'), { strategy: 'fsdp-full' });
}

/** The command's defaults for LoRA. */
const ADAPTERS = { rank: 16, targets: 'all-linear', dropout: 0, adapterType: 'fp32' } as const;

function* adapters(
  method: Method,
  hasHalf: boolean,
  trained: (
    kind: ChangeKind,
    name: Message,
    changed: Partial<EstimateRequest['training']>,
    wishes: Partial<PlanWishes>,
    changesTraining: boolean,
  ) => DraftChange,
): Generator<DraftChange> {
  const half = hasHalf ? ({ precision: 'bf16' } as const) : {};
  if (method.kind === 'full')
    yield trained(
      'lora',
      message('planChange.lora'),
      { method: { kind: 'lora', adapters: ADAPTERS }, ...half },
      { method: 'lora' },
      true,
    );
  if (method.kind !== 'qlora')
    yield trained(
      'qlora',
      message('planChange.qlora'),
      {
        method: {
          kind: 'qlora',
          adapters: method.kind === 'full' ? ADAPTERS : method.adapters,
          doubleQuantization: false,
        },
        ...half,
      },
      { method: 'qlora' },
      true,
    );
}
