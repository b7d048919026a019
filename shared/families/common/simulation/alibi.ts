/** ALiBi, a slope for each head times a token's place: added to the scores in place of positions (BLOOM, Falcon). */
import { maskedFill, scale } from '../../../memory/operations/elementwise';
import { expand } from '../../../memory/operations/layout';
import { type Tape, hold, release } from '../../../memory/tape/tape';
import { BOOL, FP32, INT32, INT64, type Tensor } from '../../../memory/tape/tensor';
import type { Forward } from '../../forward';

/**
 * `build_alibi_tensor`: [batch · heads, 1, sequence] in the hidden states' type. Slopes are powers in fp32; places are counted from the
 * padding mask; their product has elements of `productBytes` first (Falcon's slopes are in bf16).
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/bloom/modeling_bloom.py#L45
 */
export function alibiOfTokens(
  { tape, batch, sequence }: Forward,
  heads: number,
  productBytes: number,
  hiddenBytes: number,
): Tensor {
  return tape.frame([], () => {
    const places = (): Tensor => tape.create([batch, sequence], INT64);
    holdSlopes(tape, heads);
    const counted = places();
    const shifted = places();
    release(counted);
    hold(places());
    release(shifted);
    const product = hold(tape.create([batch * heads, 1, sequence], productBytes));
    return tape.cast(product, hiddenBytes);
  });
}

/** The slopes of all heads, fp32: powers of one base, and of a second one where their number is no power of two. */
function holdSlopes(tape: Tape, heads: number): void {
  const nearest = 2 ** Math.floor(Math.log2(heads));
  const powersOf = (count: number): void => {
    hold(tape.create([1], FP32));
    hold(tape.create([count], INT32));
  };
  powersOf(nearest);
  const slopes = hold(tape.create([nearest], FP32));
  if (nearest === heads) return;
  powersOf(heads - nearest);
  const more = tape.create([heads - nearest], FP32);
  hold(tape.create([heads], FP32));
  for (const joined of [slopes, more]) release(joined);
}

/**
 * Falcon's mask with ALiBi: the causal mask as scores, ALiBi scaled, and both joined for every head as
 * [batch, heads, sequence, sequence] in the hidden states' type.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/falcon/modeling_falcon.py#L695
 */
export function maskWithAlibi(mask: Tensor, alibi: Tensor, heads: number): Tensor {
  const { elementBytes, tape } = alibi;
  const [batch = 1, , sequence = 1] = mask.shape;
  return tape.frame([], () => {
    const scores = mask.elementBytes === BOOL ? hold(scoresOf(mask, elementBytes)) : mask;
    const scaled = hold(scale(tape.share(alibi, [batch, heads, 1, sequence])));
    const forbidden = hold(tape.create(scores.shape, BOOL));
    return maskedFill(expand(scaled, [batch, heads, sequence, sequence]), forbidden);
  });
}

/** `torch.where(mask, 0, minimum)`, for which the zero is a tensor. */
function scoresOf(mask: Tensor, elementBytes: number): Tensor {
  const { tape } = mask;
  return tape.frame([], () => {
    hold(tape.create([1], elementBytes));
    return tape.create(mask.shape, elementBytes);
  });
}
