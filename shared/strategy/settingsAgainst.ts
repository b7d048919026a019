import { message, type Message } from '../i18n/message';
import { checkRequest } from '../memory/check';
import { type EstimateRequest, isFsdp } from '../memory/configuration';
import type { Architecture } from '../model/architecture';
import { cardOf } from './requestCard';
import { hasEightBitState } from '../memory/training/optimizers';

/** Why settings cannot be had together, by the libraries that would run them or by the engine; null where they can. */
export function settingsAgainst(architecture: Architecture, request: EstimateRequest): Message | null {
  const { method, optimizer, precision } = request.training;
  if (recomputesElsewhere(request)) return message('strategy.dataParallelRecomputes');
  const isSharded = isFsdp(request.strategy);
  if (isSharded && method.kind === 'qlora') return message('strategy.qloraSharded');
  if (hasEightBitState(optimizer) && isSharded) return message('strategy.eightBitSharded');
  if (hasEightBitState(optimizer) && request.strategy === 'tensor') return message('strategy.eightBitTensor');
  // Its factored moments are plain tensors, which PyTorch does not add to distributed ones: tried with transformers 5.18.
  if (optimizer === 'adafactor' && (isSharded || request.strategy === 'tensor'))
    return message('strategy.adafactorDivided');
  if (isSharded && method.kind === 'lora' && precision === 'bf16' && method.adapters.adapterType === 'fp32')
    return message('strategy.shardedTypes');
  return checkRequest(architecture, request);
}

/**
 * DataParallel's replicas run in threads, and on cards with cuDNN's attention the recomputation takes another kernel than the forward did,
 * which PyTorch refuses: seen on two H200s.
 */
function recomputesElsewhere(request: EstimateRequest): boolean {
  const { strategy, training } = request;
  const isChosen = training.attention === 'sdpa' && cardOf(request).cudnnAttention;
  return strategy === 'dp' && training.checkpointing.kind !== 'none' && isChosen;
}
