/** Logits: what a long sequence of a language model takes whatever else is saved, so that it can be refused without a play. */
import type { EstimateRequest } from '../memory/configuration';
import type { Architecture } from '../model/architecture';

/** Logits and their log-softmax: 2 bytes and 2 where the loss stays in 16 bits, 4 where it does not. */
const leastBytesPerLogit = 4;

export interface LogitsNeed {
  readonly vocabulary: number;
  /** Fewest bytes that the card with the head holds at once for the logits of a micro-batch. */
  readonly bytes: number;
}

/** Null for models that predict no tokens. Tensor parallelism may divide the vocabulary; no other strategy divides logits. */
export function logitsOf(
  { head }: Architecture,
  { strategy, training, world }: EstimateRequest,
): LogitsNeed | null {
  if (head.kind !== 'language-model') return null;
  const tokens = training.microBatch * training.sequence;
  const shares = strategy === 'tensor' ? world : 1;
  return {
    vocabulary: head.vocabularySize,
    bytes: Math.ceil((tokens * head.vocabularySize * leastBytesPerLogit) / shares),
  };
}
