/** The loss of classes that look for an answer in a text. */
import { add, scale } from '../../../memory/operations/elementwise';
import { copy, split } from '../../../memory/operations/layout';
import { linear } from '../../../memory/operations/linear';
import { crossEntropy } from '../../../memory/operations/loss';
import type { Module } from '../../../memory/tape/module';
import { hold } from '../../../memory/tape/tape';
import type { Tensor } from '../../../memory/tape/tensor';

/**
 * Start and end of an answer over hidden states [batch, positions, width]: logits [batch, positions, 2], a copy of each half, and the mean
 * of two cross entropies over the positions.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/bert/modeling_bert.py#L1324
 */
export function spanLoss(outputs: Module, hidden: Tensor): Tensor {
  const [batch = 1, positions = 1] = hidden.shape;
  const logits = hold(linear(outputs, hidden));
  const [starts, ends] = split(logits, [1, 1]);
  const start = hold(copy(starts, [batch, positions]));
  const end = hold(copy(ends, [batch, positions]));
  const ofStart = hold(crossEntropy(start, null));
  return scale(add(ofStart, hold(crossEntropy(end, null))));
}
