/**
 * SigLIP's pooling: PyTorch's `nn.MultiheadAttention` of one learned query over all patches, and an MLP.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/torch/nn/functional.py
 */
import { add, addInPlace, scale } from '../../memory/operations/elementwise';
import {
  copy,
  copyForward,
  firstPosition,
  repeat,
  sliceOf,
  splitInto,
  view,
  viewWithGradientCopy,
} from '../../memory/operations/layout';
import { batchedProduct, linear, productWith } from '../../memory/operations/linear';
import { layerNorm } from '../../memory/operations/norms';
import { softmax } from '../../memory/operations/softmax';
import { MissingPart, type Module } from '../../memory/tape/module';
import { hold, holdAll, last, release } from '../../memory/tape/tape';
import type { Tensor } from '../../memory/tape/tensor';
import type { Stack } from '../../model/architecture';
import { towerMlp } from '../common/simulation/towerLayer';
import type { Forward } from '../forward';

/**
 * `SiglipMultiheadAttentionPoolingHead` over `hidden` [batch, patches, width]: [batch, width].
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/siglip/modeling_siglip.py#L622
 */
export function attentionPooling(forward: Forward, module: Module, stack: Stack, hidden: Tensor): Tensor {
  const [layer] = stack.layers;
  if (layer?.mixer.kind !== 'attention' || layer.feedForward.kind !== 'mlp')
    throw new MissingPart('The tower has no layer of attention and an MLP.');
  const { heads } = layer.mixer;
  const { feedForward } = layer;
  const [batch = 1, , width = 1] = hidden.shape;
  return forward.tape.call(module.place, [], () => {
    const probe = hold(repeat(module.parameter('probe'), [batch, 1, width]));
    const pooled = hold(attention(module.child('attention'), heads, probe, hidden));
    const normed = hold(layerNorm(module.child('layernorm'), pooled));
    const output = hold(add(pooled, towerMlp(module.child('mlp'), feedForward, normed)));
    return firstPosition(output);
  });
}

/** `nn.MultiheadAttention` with the batch in front; its weights are averaged over the heads, though nobody asks for them. */
function attention(module: Module, heads: number, probe: Tensor, hidden: Tensor): Tensor {
  const { tape } = module;
  const [batch = 1, positions = 1, width = 1] = hidden.shape;
  const dim = width / heads;
  const rows = batch * heads;
  return tape.call(module.place, [], () => {
    const [query, both] = holdAll(projections(module, probe, hidden));
    const part = (): Tensor => hold(sliceOf(both, [positions, batch, width]));
    const headed = [rows, positions, dim];
    let key = part();
    let value = part();
    release(both);
    key = hold(view(last(key), headed));
    value = hold(viewWithGradientCopy(last(value), headed));
    const scaled = hold(scale(view(query, [rows, 1, dim])));
    const plain = { left: false, right: 'as-is' } as const;
    const scores = hold(batchedProduct(scaled, key, [rows, 1, positions], plain));
    const weights = hold(softmax(scores));
    release(scores);
    const attended = hold(view(batchedProduct(weights, value, [rows, 1, dim], plain), [1, batch, width]));
    const output = hold(linear(module.child('out_proj'), attended));
    tape.scratch(batch * positions * weights.elementBytes);
    return view(output, [batch, 1, width]);
  });
}

/**
 * Query [1, batch, width], and key and value in one tensor [2, patches, batch, width]. The patches are read position by position,
 * which is not the order of their memory: a copy is multiplied, and the bias is added apart.
 */
function projections(module: Module, probe: Tensor, hidden: Tensor): [Tensor, Tensor] {
  const { tape } = module;
  const [batch = 1, positions = 1, width = 1] = hidden.shape;
  return tape.frame([], () => {
    const weights = splitInto(module.parameter('in_proj_weight'), [
      [width, width],
      [2 * width, width],
    ]);
    const [ofQuery, ofBoth] = holdAll(weights);
    const [queryBias, bothBias] = holdAll(
      splitInto(module.parameter('in_proj_bias'), [[width], [2 * width]]),
    );
    const query = hold(productWith(probe, ofQuery, queryBias));
    const product = tape.frame([], () => {
      const bias = hold(tape.castForProduct(bothBias));
      const weight = tape.castForProduct(ofBoth);
      const input = hold(tape.castForProduct(hidden));
      return addInPlace(productWith(copyForward(input), weight, null), bias);
    });
    return [query, copy(product, [2, positions, batch, width])];
  });
}
