/** The block that CLIP's, SigLIP's and many vision-language models' towers share: a norm before attention and MLP, biases everywhere. */
import { act } from '../../../memory/operations/activations';
import { add } from '../../../memory/operations/elementwise';
import { linear } from '../../../memory/operations/linear';
import { layerNorm } from '../../../memory/operations/norms';
import type { Module } from '../../../memory/tape/module';
import { hold, last, release } from '../../../memory/tape/tape';
import type { Tensor } from '../../../memory/tape/tensor';
import type { Layer, Mlp, Stack } from '../../../model/architecture';
import type { Forward } from '../../forward';
import { runBlocks } from './blocks';
import { type EncoderAttentionNames, attentionModule, outputOf } from './encoderAttention';
import { plainLayer } from './expected';

/**
 * SigLIP's attention, which splits each projection into heads at once.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/siglip/modeling_siglip.py#L250
 */
const siglipAttention: EncoderAttentionNames = {
  query: 'q_proj',
  key: 'k_proj',
  value: 'v_proj',
  output: 'out_proj',
  eagerSoftmax: 'fp32',
};

/**
 * CLIP's, which splits them when all three are made.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/clip/modeling_clip.py#L280
 */
const clipAttention: EncoderAttentionNames = { ...siglipAttention, splitsLater: true };

/** Whose tower a stack is: CLIP's has a class token in front of the patches, or texts that see what is before them only. */
function towerAttention({ inputs, layers }: Stack): EncoderAttentionNames {
  const isClip =
    inputs.kind === 'patches'
      ? inputs.extraTokens > 0
      : layers.some(({ mixer }) => mixer.kind === 'attention' && mixer.causal);
  return isClip ? clipAttention : siglipAttention;
}

/**
 * `CLIPEncoder`, `SiglipEncoder`: the layers under `encoder` over `embedded` [batch, positions, width], whose name the caller keeps.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/clip/modeling_clip.py#L446
 */
export function towerEncoder(
  forward: Forward,
  encoder: Module,
  stack: Stack,
  embedded: Tensor,
  mask: Tensor | null,
): Tensor {
  return forward.tape.call(encoder.place, [], () =>
    runBlocks(
      forward,
      {
        blocks: encoder.child('layers'),
        layers: stack.layers,
        hidden: embedded,
        named: 'first',
        shared: [mask],
      },
      (block, layer, x, [given = null]) => towerLayer(forward, stack, block, layer, x, given),
    ),
  );
}

/**
 * One layer over x [batch, positions, width]. Backward keeps the inputs of both norms and of all products, and the MLP's inner state
 * before and after its activation.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/clip/modeling_clip.py#L353
 */
export function towerLayer(
  forward: Forward,
  stack: Stack,
  block: Module,
  layer: Layer,
  x: Tensor,
  mask: Tensor | null,
): Tensor {
  const { mixer, feedForward } = plainLayer(layer);
  const normed = hold(layerNorm(block.child('layer_norm1'), x));
  // Eager attention's weights have a name until the layer returns.
  const names = towerAttention(stack);
  const attended = outputOf(attentionModule(forward, block.child('self_attn'), mixer, names, normed, mask));
  release(normed);
  const middle = hold(add(x, last(attended)));
  let hidden = hold(layerNorm(block.child('layer_norm2'), middle));
  hidden = hold(towerMlp(block.child('mlp'), feedForward, last(hidden)));
  return add(middle, last(hidden));
}

/**
 * `fc1`, activation, `fc2`, each step by the same name: [batch, positions, width].
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/clip/modeling_clip.py#L338
 */
export function towerMlp(module: Module, mlp: Mlp, x: Tensor): Tensor {
  return module.tape.call(module.place, [x], () => {
    let hidden = hold(linear(module.child('fc1'), x));
    hidden = hold(act(mlp.activation, last(hidden)));
    return linear(module.child('fc2'), last(hidden));
  });
}
