/**
 * Routers of mixtures of experts: which experts each token goes to, and with which weights. All make logits [tokens, experts] and, of the k
 * experts that each token goes to, weights [tokens, k] and indices int64 [tokens, k]. Gradients reach the router through the weights;
 * backward keeps its input, the scores that a softmax or a sigmoid gave, and the indices.
 */
import {
  divideBySum,
  divideInPlace,
  gather,
  maskOtherGroups,
  sumOfLast,
  topK,
} from '../../../memory/operations/choosing';
import {
  activation,
  activationKeepingOutput,
  addBuffer,
  addConstant,
  cast,
  multiply,
  scale,
} from '../../../memory/operations/elementwise';
import { reshape, view } from '../../../memory/operations/layout';
import { linear, matrixProduct, wideMatrixProduct } from '../../../memory/operations/linear';
import { softmax } from '../../../memory/operations/softmax';
import type { Module } from '../../../memory/tape/module';
import { hold, last, release } from '../../../memory/tape/tape';
import { FP32, type Shape, type Tensor, elements, width } from '../../../memory/tape/tensor';
import type { MixtureOfExperts } from '../../../model/architecture';
import { dimension, expertsPerTokenOf } from './expected';

/** What a router gives, each held by its call. */
type Routing = readonly [logits: Tensor, weights: Tensor, indices: Tensor];

/** A router over tokens [tokens, hidden] or [batch, positions, hidden]. */
export type Router = (gate: Module, facts: MixtureOfExperts, tokens: Tensor) => Routing;

/** The facts with the number of experts a token known. */
type KnownMixture = MixtureOfExperts & { readonly expertsPerToken: number };

/** A router's call. */
export const router =
  (body: (gate: Module, facts: KnownMixture, tokens: Tensor) => Routing): Router =>
  (gate, facts, tokens) => {
    const known = { ...facts, expertsPerToken: expertsPerTokenOf(facts) };
    return gate.tape.call(gate.place, [], () => body(gate, known, tokens));
  };

/** The shape of rows of tokens, whatever is in front of the last dimension. */
const rowsOf = ({ shape }: Tensor): Shape => [elements(shape) / width(shape), width(shape)];

/**
 * Mixtral's: a softmax of the logits in fp32, the k best, divided by their sum.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/mixtral/modeling_mixtral.py#L96
 */
export const mixtralRouter = router((gate, { expertsPerToken }, tokens) => {
  const rows = hold(reshape(tokens, rowsOf(tokens)));
  const logits = hold(matrixProduct(gate, rows));
  const probabilities = hold(softmax(cast(logits, FP32)));
  const { values, indices } = topK(probabilities, expertsPerToken);
  hold(indices);
  return [logits, divideBySum(last(hold(values))), indices];
});

/**
 * Qwen's and OLMoE's: the softmax casts by itself, and the weights go back to the logits' type.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/qwen2_moe/modeling_qwen2_moe.py#L318
 */
export const qwenRouter = router((gate, { expertsPerToken, normalised }, tokens) => {
  const rows = hold(reshape(tokens, rowsOf(tokens)));
  const logits = hold(matrixProduct(gate, rows));
  const probabilities = hold(softmax(logits, 'fp32'));
  const { values, indices } = topK(probabilities, expertsPerToken);
  hold(indices);
  let weights = hold(values);
  if (normalised) weights = hold(divideBySum(last(weights)));
  return [logits, cast(last(weights), logits.elementBytes), indices];
});

/**
 * Granite's: the k best logits in fp32, and a softmax of those in the tokens' type.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/granitemoe/modeling_granitemoe.py#L124
 */
export const graniteRouter = router((gate, { expertsPerToken }, tokens) => {
  const logits = hold(cast(matrixProduct(gate, tokens), FP32));
  const { values, indices } = topK(logits, expertsPerToken);
  hold(values);
  hold(indices);
  return [logits, cast(softmax(values), tokens.elementBytes), indices];
});

/**
 * gpt-oss': the k best logits, and a softmax of those in their own type.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/gpt_oss/modeling_gpt_oss.py#L117
 */
export const gptOssRouter = router((gate, { expertsPerToken }, tokens) => {
  const logits = hold(matrixProduct(gate, tokens));
  const { values, indices } = topK(logits, expertsPerToken);
  hold(values);
  hold(indices);
  return [logits, softmax(values, 'given'), indices];
});

/**
 * DeepSeek V2's: everything in fp32, experts of the groups with the best expert where there are groups, weights scaled.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/deepseek_v2/modeling_deepseek_v2.py#L86
 */
export const deepseekV2Router = router((gate, { expertsPerToken, groups }, tokens) => {
  const rows = hold(reshape(tokens, rowsOf(tokens)));
  const logits = hold(wideMatrixProduct(gate, rows));
  let scores = hold(softmax(logits, 'fp32'));
  if (groups !== null) {
    const best = hold(bestOfGroups(scores, groups.count, 1));
    scores = hold(maskOtherGroups(last(scores), best, groups.chosen));
  }
  const { values, indices } = topK(scores, expertsPerToken);
  hold(indices);
  return [logits, scale(last(hold(values))), indices];
});

/**
 * DeepSeek V3's: sigmoid scores in fp32, to which a correction is added for choosing only: first groups by the sum of their two
 * best, then experts in them. The weights are the plain scores, divided by their sum and scaled. Mistral 4 has a softmax in the
 * model's type and no correction.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/deepseek_v3/modeling_deepseek_v3.py#L131
 */
export const deepseekV3Router = router(
  (gate, { expertsPerToken, groups, normalised, routerScore }, tokens) => {
    const isSigmoid = routerScore === 'sigmoid';
    const rows = hold(reshape(tokens, rowsOf(tokens)));
    const logits = hold(isSigmoid ? wideMatrixProduct(gate, rows) : matrixProduct(gate, rows));
    const scores = hold(isSigmoid ? activationKeepingOutput(logits) : softmax(logits));
    let choice = isSigmoid ? hold(addBuffer(scores, FP32)) : scores;
    if (groups !== null) {
      const sums = hold(sumOfLast(bestOfGroups(choice, groups.count, 2)));
      const best = hold(view(sums, [dimension(rows, 0), groups.count]));
      choice = hold(maskOtherGroups(choice === scores ? choice : last(choice), best, groups.chosen));
    }
    const { values, indices } = topK(choice, expertsPerToken);
    release(values);
    hold(indices);
    let weights = hold(gather(scores, indices));
    if (normalised) {
      const sum = hold(addConstant(sumOfLast(weights)));
      weights = hold(divideInPlace(last(weights), sum));
    }
    return [logits, scale(last(weights)), indices];
  },
);

/**
 * MiniMax M2's: sigmoid scores in fp32, chosen with a correction added, divided by their sum.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/minimax_m2/modeling_minimax_m2.py#L46
 */
export const minimaxRouter = router((gate, { expertsPerToken }, tokens) => {
  const rows = hold(reshape(tokens, rowsOf(tokens)));
  const logits = hold(matrixProduct(gate, rows));
  const scores = hold(activationKeepingOutput(cast(logits, FP32)));
  const choice = hold(addBuffer(scores, FP32));
  const { values, indices } = topK(choice, expertsPerToken);
  hold(values);
  hold(indices);
  return [logits, divideBySum(last(hold(gather(scores, indices)))), indices];
});

/**
 * ERNIE 4.5's, out of autocast: a softmax in fp32, chosen with a correction added, divided by their sum, in the tokens' type.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/ernie4_5_moe/modeling_ernie4_5_moe.py#L345
 */
export const ernieRouter = router((gate, { expertsPerToken }, tokens) => {
  const { tape } = gate;
  const [logits, weights, indices] = tape.underAutocast(false, (): Routing => {
    const made = hold(wideMatrixProduct(gate, tokens));
    const scores = hold(softmax(made, 'fp32'));
    const choice = topK(addBuffer(scores, FP32), expertsPerToken);
    release(choice.values);
    const chosen = hold(gather(scores, hold(choice.indices)));
    const sum = sumOfLast(chosen);
    return [made, hold(multiply(chosen, activation(sum))), choice.indices];
  });
  return [logits, cast(last(weights), tokens.elementBytes), indices];
});

/**
 * Hunyuan's: a linear layer of its own, a softmax in fp32, the k best divided by their sum, in the logits' type.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/hunyuan_v1_moe/modeling_hunyuan_v1_moe.py#L224
 */
export const hunyuanRouter = router((gate, { expertsPerToken }, tokens) => {
  const rows = hold(reshape(tokens, rowsOf(tokens)));
  const layer = gate.child('wg');
  const wide = layer.parameter('weight').elementBytes === FP32 ? hold(cast(rows, FP32)) : rows;
  const logits = hold(linear(layer, wide));
  const { values, indices } = topK(hold(softmax(logits, 'fp32')), expertsPerToken);
  hold(indices);
  const weights = hold(divideBySum(last(hold(values))));
  return [logits, cast(last(weights), logits.elementBytes), indices];
});

/**
 * Command's: the k best logits, a softmax of those in fp32, in the tokens' type.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/cohere2_moe/modeling_cohere2_moe.py#L141
 */
export const cohereRouter = router((gate, { expertsPerToken }, tokens) => {
  const logits = hold(matrixProduct(gate, tokens));
  const { values, indices } = topK(logits, expertsPerToken);
  hold(values);
  hold(indices);
  return [logits, cast(softmax(values, 'fp32'), tokens.elementBytes), indices];
});

/** For decoders of unknown type: DeepSeek V3's where scores are sigmoids, else Qwen's. */
export const nearestRouter: Router = (gate, facts, tokens) =>
  facts.routerScore === 'sigmoid' ? deepseekV3Router(gate, facts, tokens) : qwenRouter(gate, facts, tokens);

/** The best scores of each group of experts, as [tokens, groups, count]. */
function bestOfGroups(scores: Tensor, groups: number, count: number): Tensor {
  const [tokens = 1, experts = 1] = scores.shape;
  const grouped = view(scores, [tokens, groups, experts / groups]);
  const { values, indices } = topK(grouped, count);
  release(indices);
  return values;
}
