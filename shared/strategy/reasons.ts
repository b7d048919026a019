/** One sentence for each plan: why it works, and what it costs. */
import { message, type Message } from '../i18n/message';
import type { CardEstimate } from '../memory/estimate';
import type { EstimateRequest, Offload } from '../memory/configuration';
import type { ModelCounts } from './states';
import { tightestCard } from './tightest';
import { dividesWeights } from '../memory/strategies';
import { hasEightBitState } from '../memory/training/optimizers';

export interface PlanFacts {
  readonly request: EstimateRequest;
  readonly counts: ModelCounts;
  readonly cards: readonly CardEstimate[];
  readonly hostBytes: number;
  readonly changesTraining: boolean;
}

/** What changes the training is said before how it is spread. */
export function whyOf(facts: PlanFacts): Message {
  const { changesTraining, counts, request } = facts;
  const { offload, training, world } = request;
  const tightest = tightestCard(facts.cards);
  const values = {
    peak: tightest?.processBytes ?? 0,
    card: tightest?.cardBytes ?? null,
    count: world,
  };
  if (changesTraining || training.method.kind !== 'full') return adapterReason(facts, values);
  if (offload !== 'none') return offloadReason(offload, { ...values, host: facts.hostBytes });
  if (hasEightBitState(training.optimizer)) return message('strategy.whyEightBit', values);
  if (training.precision === 'bf16') return message('strategy.whyBfloat16', values);
  return spreadReason(request, { ...values, parameters: counts.parameters });
}

interface ReasonValues {
  readonly peak: number;
  readonly card: number | null;
  readonly count: number;
}

function adapterReason(
  { changesTraining, counts, hostBytes, request }: PlanFacts,
  values: ReasonValues,
): Message {
  const all = { ...values, trainable: counts.trainable, frozen: counts.parameters - counts.trainable };
  const { offload, strategy } = request;
  if (offload === 'all' && request.training.method.kind === 'lora') {
    const offloaded = { ...all, host: hostBytes };
    return changesTraining
      ? message('strategy.whyOffloadedLoraInstead', offloaded)
      : message('strategy.whyOffloadedLora', offloaded);
  }
  if (request.training.method.kind === 'qlora')
    return changesTraining ? message('strategy.whyQloraInstead', all) : message('strategy.whyQlora', all);
  if (dividesWeights(strategy))
    return changesTraining
      ? message('strategy.whyShardedLoraInstead', all)
      : message('strategy.whyShardedLora', all);
  return changesTraining ? message('strategy.whyLoraInstead', all) : message('strategy.whyLora', all);
}

/** What leaves the cards, and what stays on them. */
function offloadReason(
  offload: Exclude<Offload, 'none'>,
  values: ReasonValues & { readonly host: number },
): Message {
  switch (offload) {
    case 'optimizer':
      return message('strategy.whyOffloadOptimizer', values);
    case 'all':
      return message('strategy.whyOffload', values);
    case 'nvme':
      return message('strategy.whyOffloadNvme', values);
  }
}

function stageReason(request: EstimateRequest, values: ReasonValues): Message {
  const { schedule, training, world } = request;
  if (schedule === 'sequential') return message('strategy.whyPlacement', values);
  const steps = training.accumulation;
  // Of the whole step each card waits while the pipeline fills and drains.
  const waiting = (100 * (world - 1)) / (steps + world - 1);
  return message('strategy.whyPipeline', { ...values, steps, waiting });
}

function spreadReason(
  request: EstimateRequest,
  values: ReasonValues & { readonly parameters: number },
): Message {
  const { strategy, training } = request;
  const isCheckpointed = training.checkpointing.kind !== 'none';
  switch (strategy) {
    case 'single':
      return isCheckpointed
        ? message('strategy.whySingleCheckpointed', values)
        : message('strategy.whySingle', values);
    case 'dp':
      return message('strategy.whyDataParallel', values);
    case 'ddp':
    case 'ddp-bucket-view':
      return isCheckpointed
        ? message('strategy.whyCopyCheckpointed', values)
        : message('strategy.whyCopy', values);
    case 'fsdp-grad-op':
    case 'zero1':
    case 'zero2':
      return isCheckpointed
        ? message('strategy.whyGradOpCheckpointed', values)
        : message('strategy.whyGradOp', values);
    case 'fsdp-full':
    case 'zero3':
      return isCheckpointed
        ? message('strategy.whyShardCheckpointed', values)
        : message('strategy.whyShard', values);
    case 'tensor':
      return message('strategy.whyTensor', values);
    case 'pipeline':
      return stageReason(request, values);
  }
}
