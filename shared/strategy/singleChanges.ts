/** Single changes to a plan, as requests and as answers of the wizard. */
import { message, type Message } from '../i18n/message';
import {
  defaultAdapters,
  type EstimateRequest,
  isDdp,
  isFsdp,
  isMixed,
  type Method,
} from '../memory/configuration';
import { globalBatchOf, withMicroBatch } from './batch';
import { withAdapterType } from './enumerate';
import { hasBfloat16 } from './requestCard';
import type { Plan, PlanQuestion } from './types';
import type { PlanWishes } from './wizard/answers';
import { hasEightBitState, isWideAdamW } from '../memory/training/optimizers';

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

interface SingleChange {
  readonly kind: ChangeKind;
  readonly name: Message;
  readonly request: EstimateRequest;
  readonly wishes: Partial<PlanWishes>;
  /** Results may differ: other parameters are trained, other bytes of them, or shorter samples. */
  readonly changesResults: boolean;
}

/** The changes to a plan that make sense one at a time, from what costs nothing on to what trains something else. */
export function* singleChanges(question: PlanQuestion, { request }: Plan): Generator<SingleChange> {
  const { training, world } = request;
  const { attention, checkpointing, microBatch, optimizer, precision } = training;
  const trained = (
    kind: ChangeKind,
    name: Message,
    changed: Partial<EstimateRequest['training']>,
    wishes: Partial<PlanWishes>,
    changesResults = false,
  ): SingleChange => ({
    kind,
    name,
    request: withAdapterType({ ...request, training: { ...training, ...changed } }, question.wished),
    wishes,
    changesResults,
  });
  // How gradients are best exchanged depends on the strategy.
  const respread = question.wished.has('gradientSync') ? training : { ...training, gradientSync: null };
  const spread = (kind: ChangeKind, name: Message, changed: Partial<EstimateRequest>): SingleChange => ({
    kind,
    name,
    request: withAdapterType({ ...request, ...changed, training: respread }, question.wished),
    wishes: {
      ...(changed.strategy === undefined ? {} : { strategy: changed.strategy }),
      ...(changed.offload === undefined ? {} : { offload: changed.offload }),
    },
    changesResults: false,
  });
  const hasHalf = hasBfloat16(request);

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
        changesResults: false,
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
  if (training.method.kind === 'full' && isMixed(precision) && hasHalf)
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
  if (isWideAdamW(optimizer) && !isFsdp(request.strategy))
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
  spread: (kind: ChangeKind, name: Message, changed: Partial<EstimateRequest>) => SingleChange,
): Generator<SingleChange> {
  const cannot = training.method.kind === 'qlora' || hasEightBitState(training.optimizer);
  if (world < 2 || cannot) return;
  const isWhole = isDdp(strategy) || strategy === 'dp' || strategy === 'single';
  if (isWhole)
    yield spread('gradient-shards', message('planChange.gradientShards'), { strategy: 'fsdp-grad-op' });
  if (isWhole || strategy === 'fsdp-grad-op')
    yield spread('full-shards', message('planChange.fullShards'), { strategy: 'fsdp-full' });
}

function* adapters(
  method: Method,
  hasHalf: boolean,
  trained: (
    kind: ChangeKind,
    name: Message,
    changed: Partial<EstimateRequest['training']>,
    wishes: Partial<PlanWishes>,
    changesResults: boolean,
  ) => SingleChange,
): Generator<SingleChange> {
  const half = hasHalf ? ({ precision: 'bf16' } as const) : {};
  if (method.kind === 'full')
    yield trained(
      'lora',
      message('planChange.lora'),
      { method: { kind: 'lora', adapters: defaultAdapters }, ...half },
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
          adapters: method.kind === 'full' ? defaultAdapters : method.adapters,
          doubleQuantization: false,
        },
        ...half,
      },
      { method: 'qlora' },
      true,
    );
}
