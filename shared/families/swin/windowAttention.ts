/** Swin's attention within windows, with relative positions and the shift's mask added to the scores. */
import { add } from '../../memory/operations/elementwise';
import { gatherRows } from '../../memory/operations/embedding';
import { copy, copyForward, splitHeads } from '../../memory/operations/layout';
import { linear } from '../../memory/operations/linear';
import type { Module } from '../../memory/tape/module';
import { hold, holdAll, last } from '../../memory/tape/tape';
import type { Tensor } from '../../memory/tape/tensor';
import type { SoftmaxAttention } from '../../model/architecture';
import {
  type AttentionOutputs,
  attendWithWeights,
  attentionForm,
  isWrittenOut,
} from '../common/simulation/attention';
import type { Forward } from '../forward';

/**
 * `SwinAttention` of x [windows, window², width]; `mask` [windows of an image, window², window²] where windows are shifted. Backward keeps
 * x, the kernel's tensors, and the scores' bias, which is trained.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/swin/modeling_swin.py#L401
 */
export function windowAttention(
  forward: Forward,
  module: Module,
  facts: SoftmaxAttention,
  x: Tensor,
  mask: Tensor | null,
): AttentionOutputs {
  const { tape } = forward;
  const { heads, headDim } = facts;
  const [windows = 1, area = 1] = x.shape;
  return tape.call(module.place, [x], (): AttentionOutputs => {
    const table = module.child('relative_position_bias');
    const trained = tape.needs(table.parameter('relative_position_bias_table'));
    const form = attentionForm(forward, facts, x.elementBytes, true, trained ? 'in-order' : null);
    const headed = (name: string): Tensor =>
      hold(splitHeads(linear(module.child(name), x), [windows, heads, area, headDim], isWrittenOut(form)));
    const query = headed('q_proj');
    const key = headed('k_proj');
    const value = headed('v_proj');
    const bias = hold(positionBias(table, heads, area));
    let combined = bias;
    if (mask !== null) {
      const everywhere = hold(copy(tape.share(mask, mask.shape), [windows, 1, area, area]));
      combined = hold(add(bias, everywhere));
    }
    const inputs = { query, key, value, mask: combined };
    const [joined, ...weights] = holdAll(attendWithWeights(form, facts, inputs));
    return [linear(module.child('o_proj'), last(joined)), ...weights];
  });
}

/** The table's row for each pair of positions, in the order [1, heads, positions, positions]. */
function positionBias(module: Module, heads: number, area: number): Tensor {
  return module.tape.call(module.place, [], () => {
    const pairs = hold(
      gatherRows(module.parameter('relative_position_bias_table'), [area * area], null, true),
    );
    return copyForward(pairs, [1, heads, area, area]);
  });
}
