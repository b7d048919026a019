/** The block that CLIP's, SigLIP's and many vision-language models' towers share: a norm before attention and MLP, biases everywhere. */
import type { Layer, Mlp, SoftmaxAttention, Stack } from '../../../model/architecture';
import { act } from '../../operations/activations';
import { add } from '../../operations/elementwise';
import { linear } from '../../operations/linear';
import { layerNorm } from '../../operations/norms';
import type { Module } from '../../tape/module';
import { hold, last, release } from '../../tape/tape';
import type { Tensor } from '../../tape/tensor';
import { type Forward, runBlock } from '../context';
import { projectAndAttend, type ProjectionNames } from './encoderAttention';

const projections: ProjectionNames = {
  query: 'q_proj',
  key: 'k_proj',
  value: 'v_proj',
  eagerSoftmax: 'fp32',
};

const clipProjections: ProjectionNames = { ...projections, splitsLater: true };

/** `CLIPEncoder`, `SiglipEncoder`: the layers under `encoder`; the caller keeps its name for the embedded input. */
export function towerEncoder(
  forward: Forward,
  encoder: Module,
  stack: Stack,
  embedded: Tensor,
  mask: Tensor | null,
): Tensor {
  return forward.tape.call(encoder.place, [], () => {
    let hidden = embedded;
    stack.layers.forEach((layer, index) => {
      const block = encoder.child('layers').child(String(index));
      const input = index === 0 ? hidden : last(hidden);
      hidden = hold(
        runBlock(forward, block, input, [mask], (x, [given = null]) =>
          towerLayer(forward, block, layer, x, given),
        ),
      );
    });
    return hidden;
  });
}

export function towerLayer(
  forward: Forward,
  block: Module,
  layer: Layer,
  x: Tensor,
  mask: Tensor | null,
): Tensor {
  const { mixer, feedForward } = layer;
  if (mixer.kind !== 'attention' || feedForward.kind !== 'mlp') throw new Error('Not a layer of a tower.');
  const normed = hold(layerNorm(block.child('layer_norm1'), x));
  // Eager attention's weights have a name until the layer returns.
  const names = forward.architecture.family === 'clip' ? clipProjections : projections;
  const [attended] = attention(forward, block.child('self_attn'), mixer, names, normed, mask).map(hold);
  if (attended === undefined) throw new Error('Attention has an output.');
  release(normed);
  const middle = hold(add(x, last(attended)));
  let hidden = hold(layerNorm(block.child('layer_norm2'), middle));
  hidden = hold(towerMlp(block.child('mlp'), feedForward, last(hidden)));
  return add(middle, last(hidden));
}

function attention(
  forward: Forward,
  module: Module,
  facts: SoftmaxAttention,
  names: ProjectionNames,
  x: Tensor,
  mask: Tensor | null,
): readonly Tensor[] {
  return forward.tape.call(module.place, [], () => {
    const [joined, ...weights] = projectAndAttend(forward, module, facts, names, x, x, mask).map(hold);
    if (joined === undefined) throw new Error('Attention has an output.');
    return [linear(module.child('out_proj'), last(joined)), ...weights];
  });
}

/** `fc1`, activation, `fc2`, each step by the same name. */
export function towerMlp(module: Module, mlp: Mlp, x: Tensor): Tensor {
  return module.tape.call(module.place, [x], () => {
    let hidden = hold(linear(module.child('fc1'), x));
    hidden = hold(act(mlp.activation, last(hidden)));
    return linear(module.child('fc2'), last(hidden));
  });
}
