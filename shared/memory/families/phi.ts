/**
 * Phi-1, 1.5 and 2: one LayerNorm before attention and MLP, which run side by side; half of each head is rotated; biases
 * everywhere. https://github.com/huggingface/transformers/blob/v5.0.0/src/transformers/models/phi/modeling_phi.py
 */
import type { SoftmaxAttention } from '../../model/architecture';
import { act } from '../operations/activations';
import { add, dropout } from '../operations/elementwise';
import { concatenate, slice, splitHeads } from '../operations/layout';
import { linear } from '../operations/linear';
import { layerNorm, normalize } from '../operations/norms';
import { hold } from '../tape/tape';
import { type Tensor, width } from '../tape/tensor';
import type { FamilyForward } from './context';
import { attend, attentionForm, isWrittenOut } from './parts/attention';
import { type BlockContext, causalDecoderLoss, llamaNames } from './parts/causalDecoder';
import { rotate } from './parts/rotary';

export const phiLoss: FamilyForward = (forward) =>
  causalDecoderLoss(forward, phiBlock, { ...llamaNames, norm: 'final_layernorm' });

function phiBlock(context: BlockContext, x: Tensor): Tensor {
  const { block, layer, stack } = context;
  const { mixer } = layer;
  if (mixer.kind !== 'attention') throw new Error('Not a Phi block.');
  const { residual } = stack.dropout;
  const normed = hold(normalize(block.child('input_layernorm'), x, layer.norm));
  const attended = hold(dropout(phiAttention(context, mixer, normed), residual));
  const fed = hold(dropout(phiMlp(context, normed), residual));
  return add(add(attended, fed), x);
}

function phiAttention(context: BlockContext, attention: SoftmaxAttention, x: Tensor): Tensor {
  const { forward, tables, mask } = context;
  const { tape, batch, sequence } = forward;
  const { heads, keyValueHeads, headDim, queryKeyNorm } = attention;
  const module = context.block.child('self_attn');
  return tape.call(module.place, [x], () => {
    const projected = (name: string, count: number, copied: boolean): Tensor =>
      hold(splitHeads(linear(module.child(name), x), [batch, count, sequence, headDim], copied));
    const normed = (name: string, input: Tensor): Tensor =>
      queryKeyNorm === null
        ? input
        : hold(layerNorm(module.child(name), input, { input: true, gradient: false }));
    const plainQuery = projected('q_proj', heads, true);
    const plainKey = projected('k_proj', keyValueHeads, true);
    const form = attentionForm(forward, attention, plainKey.elementBytes, mask !== null);
    const value = projected('v_proj', keyValueHeads, isWrittenOut(form));
    const query = normed('q_layernorm', plainQuery);
    const key = normed('k_layernorm', plainKey);
    const rotated = width(tables.cos.shape);
    const [turnedQuery, restQuery] = parts(query, rotated);
    const [turnedKey, restKey] = parts(key, rotated);
    const rotatedQuery = hold(rotate(turnedQuery, tables));
    const rotatedKey = hold(rotate(turnedKey, tables));
    const wholeQuery = hold(concatenate([rotatedQuery, restQuery]));
    const wholeKey = hold(concatenate([rotatedKey, restKey]));
    const output = attend(form, attention, wholeQuery, wholeKey, value, mask);
    return linear(module.child('dense'), output);
  });
}

/** The rotated elements of each head and those that pass. */
function parts(x: Tensor, rotated: number): [Tensor, Tensor] {
  return [hold(slice(x, rotated)), hold(slice(x, width(x.shape) - rotated))];
}

function phiMlp({ block, layer }: BlockContext, x: Tensor): Tensor {
  const { feedForward } = layer;
  if (feedForward.kind !== 'mlp') throw new Error('Not a Phi block.');
  const module = block.child('mlp');
  return module.tape.call(module.place, [x], () =>
    linear(module.child('fc2'), act(feedForward.activation, linear(module.child('fc1'), x))),
  );
}
