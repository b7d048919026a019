/** Relative positions of patches that are added to attention's scores, as a trained mask. */
import { gatherRows } from '../../memory/operations/embedding';
import { copy, copyForward, sliceOf } from '../../memory/operations/layout';
import type { Module } from '../../memory/tape/module';
import { hold } from '../../memory/tape/tape';
import type { Tensor } from '../../memory/tape/tensor';
import type { Stack } from '../../model/architecture';
import { imagesOf } from '../common/simulation/expected';

/** Rows of BEiT's table beside the distances of patches: from, to and within the class token. */
const TOKEN_ROWS = 3;

/**
 * `BeitRelativePositionBias`: the table's distances are resized to the image's (to the same size mostly, but by a kernel), joined
 * with the class token's rows, looked up for each pair of positions and brought into the order [1, heads, positions, positions].
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/beit/modeling_beit.py#L179
 */
export function relativePositionBias(module: Module, stack: Stack): Tensor {
  const { tape } = module;
  const table = module.parameter('relative_position_bias_table');
  const { elementBytes } = table;
  const [rows = 1, heads = 1] = table.shape;
  const positions = imagesOf(stack).patches + 1;
  return tape.call(module.place, [], () => {
    const distances = hold(sliceOf(table, [rows - TOKEN_ROWS, heads]));
    const resized = hold(copy(distances));
    const tokens = sliceOf(table, [TOKEN_ROWS, heads]);
    const whole = hold(
      tape.apply([resized, tokens], [], table.shape, elementBytes, (gradient) => [
        tape.part(gradient, [rows - TOKEN_ROWS, heads]),
        tape.part(gradient, [TOKEN_ROWS, heads]),
      ]),
    );
    const pairs = hold(gatherRows(whole, [positions * positions], null, true));
    return copyForward(pairs, [1, heads, positions, positions]);
  });
}
