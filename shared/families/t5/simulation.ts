/**
 * T5: an encoder and a decoder of pre-norm blocks without biases; each stack has a table of relative positions that is added to
 * the attention scores, and trained.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/t5/modeling_t5.py#L640
 */
import { act } from '../../memory/operations/activations';
import { add, cast, dropout, multiply, scale } from '../../memory/operations/elementwise';
import { embedding } from '../../memory/operations/embedding';
import { view } from '../../memory/operations/layout';
import { linear } from '../../memory/operations/linear';
import { crossEntropy } from '../../memory/operations/loss';
import { scaledRmsNorm } from '../../memory/operations/norms';
import { MissingPart, type Module } from '../../memory/tape/module';
import { hold, holdAll, last, release } from '../../memory/tape/tape';
import type { Tensor } from '../../memory/tape/tensor';
import type { Layer, Mlp, SoftmaxAttention, Stack } from '../../model/architecture';
import { encoderAndDecoder, plainLayer } from '../common/simulation/expected';
import { causalMaskWithoutPadding } from '../common/simulation/masks';
import { shiftRight } from '../common/simulation/sequenceToSequence';
import { type Forward, requireInputGradient, runBlock } from '../forward';
import { type T5Inputs, type T5Outputs, t5Attention } from './t5Attention';

/**
 * `T5ForConditionalGeneration.forward` with labels: the loss.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/t5/modeling_t5.py#L898
 */
export function simulateT5(forward: Forward): Tensor {
  const { tape, root, batch, sequence } = forward;
  const { head } = forward.architecture;
  const [encoder, decoder] = encoderAndDecoder(forward.architecture);
  if (head.kind !== 'language-model') throw new MissingPart('The model has no language model head.');
  return tape.frame([], () => {
    const encoded = hold(t5Stack(forward, root.child('encoder'), encoder, null, null));
    const ids = hold(shiftRight(forward));
    const decoded = hold(t5Stack(forward, root.child('decoder'), decoder, ids, encoded));
    return tape.as('logits', () => {
      const scaled = head.scale === null ? decoded : hold(scale(decoded));
      const logits = hold(linear(root.child('lm_head'), scaled));
      return crossEntropy(view(logits, [batch * sequence, head.vocabularySize]), null);
    });
  });
}

/** `T5Stack`; the first block makes the position biases, the others get them from it. */
function t5Stack(
  forward: Forward,
  module: Module,
  stack: Stack,
  ids: Tensor | null,
  encoded: Tensor | null,
): Tensor {
  const { tape, batch, sequence } = forward;
  return tape.call(module.place, [], () => {
    const embedded = hold(embedding(module.child('embed_tokens'), [batch, sequence], ids));
    requireInputGradient(forward, embedded);
    const needsMask = encoded !== null && forward.attention === 'eager';
    const mask = needsMask ? hold(causalMaskWithoutPadding(forward)) : null;
    let hidden = hold(dropout(embedded, stack.dropout.embedding));
    const blocks = module.child('block');
    const sharesBias = !hasTable(blocks.children[1]);
    let biases: readonly (Tensor | null)[] = [null, null];
    stack.layers.forEach((layer, index) => {
      const block = blocks.child(String(index));
      const given = [mask, ...biases, encoded];
      const outputs = runBlock(
        forward,
        block,
        index === 0 && hidden === embedded ? hidden : last(hidden),
        given,
        (x, [causal, selfBias, crossBias, memory]) =>
          t5Block(forward, block, layer, stack, {
            x,
            mask: causal ?? null,
            biases: [selfBias ?? null, crossBias ?? null],
            encoded: memory ?? null,
            sharesBias,
          }),
      );
      const [output, ...made] = holdAll(outputs);
      hidden = output;
      if (sharesBias) biases = [made[0] ?? biases[0] ?? null, made[1] ?? biases[1] ?? null];
    });
    const normed = hold(scaledRmsNorm(module.child('final_layer_norm'), last(hidden)));
    return dropout(last(normed), stack.dropout.embedding);
  });
}

interface BlockInputs {
  readonly x: Tensor;
  readonly mask: Tensor | null;
  /** The position biases of self and cross attention, null where this block is the one to make them. */
  readonly biases: readonly [Tensor | null, Tensor | null];
  readonly encoded: Tensor | null;
  readonly sharesBias: boolean;
}

/** Whether a layer's own attention has a table of relative positions: in T5 the first one's has, in UMT5 every one's. */
const hasTable = (block: Module | undefined): boolean =>
  block?.child('layer').child('0').child('SelfAttention').has('relative_attention_bias') === true;

/** A block's output [batch, positions, width] and the biases that its attentions used. */
type BlockOutputs = readonly [output: Tensor, ...biases: Tensor[]];

/** Biases that no other layer uses end with their layer. */
const withBiases = (output: Tensor, biases: readonly Tensor[], sharesBias: boolean): BlockOutputs =>
  sharesBias ? [output, ...biases] : [output];

/**
 * `T5Block.forward`.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/t5/modeling_t5.py#L435
 */
function t5Block(
  forward: Forward,
  block: Module,
  layer: Layer,
  stack: Stack,
  { x, mask, biases, encoded, sharesBias }: BlockInputs,
): BlockOutputs {
  const { mixer, feedForward } = plainLayer(layer);
  const { cross } = layer;
  const [selfPart, ...laterParts] = block.child('layer').children;
  const lastPart = laterParts.at(-1);
  if (selfPart === undefined || lastPart === undefined)
    throw new MissingPart('The block has not two or three parts.');
  const { residual } = stack.dropout;
  const own = { x, mask, bias: biases[0], encoded: null, sharesBias };
  const [attended, selfBias, ...selfWeights] = holdAll(
    attentionPart(forward, selfPart, 'SelfAttention', mixer, residual, own),
  );
  const [crossPart] = laterParts;
  if (cross === null || encoded === null || crossPart === undefined)
    return withBiases(feedForwardPart(lastPart, feedForward, stack, last(attended)), [selfBias], sharesBias);
  const others = { x: last(attended), mask: null, bias: biases[1], encoded, sharesBias };
  const [both, crossBias] = holdAll(
    attentionPart(forward, crossPart, 'EncDecAttention', cross, residual, others),
  );
  // Both attentions' weights go by one name.
  for (const weights of selfWeights) release(weights);
  const output = feedForwardPart(lastPart, feedForward, stack, last(both));
  return withBiases(output, [selfBias, crossBias], sharesBias);
}

/**
 * `T5LayerSelfAttention`, `T5LayerCrossAttention`: norm, attention, and its sum with x.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/t5/modeling_t5.py#L372
 */
function attentionPart(
  forward: Forward,
  module: Module,
  name: 'SelfAttention' | 'EncDecAttention',
  facts: SoftmaxAttention,
  residualDropout: number,
  inputs: T5Inputs,
): T5Outputs {
  const { x } = inputs;
  return forward.tape.call(module.place, [x], (): T5Outputs => {
    const normed = hold(scaledRmsNorm(module.child('layer_norm'), x));
    const attention = module.child(name);
    const [attended, ...others] = holdAll(t5Attention(forward, attention, facts, { ...inputs, x: normed }));
    return [add(x, dropout(attended, residualDropout)), ...others];
  });
}

function feedForwardPart(module: Module, mlp: Mlp, stack: Stack, x: Tensor): Tensor {
  return module.tape.call(module.place, [x], () => {
    const normed = hold(scaledRmsNorm(module.child('layer_norm'), x));
    const fed = hold(t5Mlp(module.child('DenseReluDense'), mlp, stack.dropout.activation, last(normed)));
    return add(x, dropout(fed, stack.dropout.residual));
  });
}

/** `T5DenseActDense` and `T5DenseGatedActDense`. */
function t5Mlp(module: Module, mlp: Mlp, probability: number, x: Tensor): Tensor {
  return module.tape.call(module.place, [x], () => {
    let hidden: Tensor;
    if (mlp.gated) {
      const gate = hold(act(mlp.activation, linear(module.child('wi_0'), x)));
      const up = hold(linear(module.child('wi_1'), x));
      hidden = hold(multiply(gate, up));
    } else {
      const inner = hold(linear(module.child('wi'), x));
      hidden = hold(act(mlp.activation, last(inner)));
    }
    hidden = hold(dropout(last(hidden), probability));
    const output = module.child('wo');
    // The last product's input is brought to its weight's type, which autocast then undoes.
    hidden = hold(cast(last(hidden), output.parameter('weight').elementBytes));
    return linear(output, last(hidden));
  });
}
