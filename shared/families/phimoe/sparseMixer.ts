/**
 * PhiMoE's router: two experts, each drawn at random among those whose logits are near the best. Only the weights pass gradients.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/phimoe/modeling_phimoe.py#L349
 */
import { gather, topK } from '../../memory/operations/choosing';
import { add, maskedFill } from '../../memory/operations/elementwise';
import { concatenate } from '../../memory/operations/layout';
import { linear } from '../../memory/operations/linear';
import { softmax } from '../../memory/operations/softmax';
import { hold, release } from '../../memory/tape/tape';
import { BOOL, FP32, INT64, type Tensor, withWidth } from '../../memory/tape/tensor';
import { router } from '../common/simulation/routers';

/** What one of the two draws leaves under names that the next one takes over. */
interface Draw {
  readonly factor: Tensor;
  readonly near: Tensor;
  readonly bestIndex: Tensor;
  readonly bestScore: Tensor;
  readonly selected: Tensor;
  readonly multiplier: Tensor;
}

/**
 * Logits [tokens, experts], and of two experts a token their weights [tokens, 2] and indices.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/phimoe/modeling_phimoe.py#L472
 */
export const sparseMixerRouter = router((gate, _facts, tokens) => {
  const logits = hold(linear(gate, tokens));
  const { tape } = logits;
  const [weights, indices] = tape.frame([], () => {
    const first = draw(logits, logits, null);
    const rest = hold(withoutChosen(logits, first.selected));
    const second = draw(logits, rest, first);
    const joined = hold(concatenate([first.multiplier, second.multiplier]));
    release(first.multiplier);
    const both = tape.create(withWidth(logits.shape, 2), INT64);
    return [joined, both];
  });
  return [logits, weights, indices];
});

/** Draws one expert for each token out of `gates`; everything made is named in the surrounding call. */
function draw(scores: Tensor, gates: Tensor, earlier: Draw | null): Draw {
  const { tape } = scores;
  const limits = tape.withoutGradients(() => nearTheBest(scores, gates, earlier));
  const masked = hold(maskedFill(gates, limits.near));
  const noise = tape.create(masked.shape, masked.elementBytes);
  // Autocast takes logarithms in fp32.
  const wide = tape.autocast ? tape.cast(hold(noise), FP32) : noise;
  const logarithm = tape.create(masked.shape, wide.elementBytes);
  if (wide !== noise) release(wide);
  release(noise);
  const drawn = topK(add(masked, logarithm), 1);
  const selected = hold(drawn.indices);
  release(drawn.values);
  const probabilities = hold(softmax(masked));
  release(masked);
  const plain = hold(gather(probabilities, selected));
  const best = topK(probabilities, 1);
  const [bestScore, bestIndex] = [hold(best.values), hold(best.indices)];
  if (earlier !== null) release(earlier.bestScore);
  release(limits.bestIndex);
  hold(thirdOfTheRest(plain));
  const multiplier = hold(scaledByMask(scores, plain, selected, probabilities));
  return { ...limits, bestIndex, bestScore, selected, multiplier };
}

/** The best score of each token, and a mask of those that are too far from it. */
function nearTheBest(
  scores: Tensor,
  gates: Tensor,
  earlier: Draw | null,
): Pick<Draw, 'factor' | 'near' | 'bestIndex'> {
  const { tape, shape, elementBytes } = scores;
  const make = (): Tensor => tape.create(shape, elementBytes);
  const { values, indices } = topK(gates, 1);
  const bestIndex = hold(indices);
  if (earlier !== null) for (const old of [earlier.near, earlier.bestIndex]) release(old);
  const absolute = make();
  const factor = hold(make());
  release(absolute);
  if (earlier !== null) release(earlier.factor);
  const distance = make();
  const share = make();
  release(distance);
  const near = hold(tape.create(shape, BOOL));
  release(share);
  release(values);
  return { factor, near, bestIndex };
}

/** 1 where the drawn expert is the best or by chance, a third elsewhere: comparisons, then fp32, then the scores' type. */
function thirdOfTheRest(plain: Tensor): Tensor {
  const { tape, shape, elementBytes } = plain;
  const isBest = tape.create(shape, BOOL);
  const chance = tape.create(shape, elementBytes);
  const byChance = tape.create(shape, BOOL);
  release(chance);
  const either = tape.create(shape, BOOL);
  for (const used of [isBest, byChance]) release(used);
  const wide = tape.create(shape, FP32);
  const narrow = elementBytes === FP32 ? wide : tape.create(shape, elementBytes);
  if (narrow !== wide) release(wide);
  release(either);
  return narrow;
}

/** The autograd function `PhimoeMultiplier`: its whole gradient goes to the scores. */
function scaledByMask(scores: Tensor, plain: Tensor, selected: Tensor, probabilities: Tensor): Tensor {
  const { tape } = scores;
  const { shape, elementBytes } = plain;
  const node = tape.record([scores, plain, probabilities], [plain, selected, probabilities], () => {
    const scaled = tape.create(shape, elementBytes);
    const negated = tape.create(shape, elementBytes);
    const toScores = tape.create(scores.shape, elementBytes);
    for (const used of [negated, scaled]) release(used);
    return [toScores, null, null];
  });
  const output = tape.create(shape, elementBytes);
  if (node !== null) tape.attach(output, node, 0);
  return output;
}

/** `scatter(scores, -1, chosen, -inf)`: keeps the indices; backward scatters zeros into a copy of the gradient. */
function withoutChosen(scores: Tensor, chosen: Tensor): Tensor {
  const { tape, elementBytes, shape } = scores;
  return tape.apply([scores], [chosen], shape, elementBytes, () => [tape.create(shape, elementBytes)]);
}
