/**
 * Phi-3 and Phi-4: llama's block with query, key and value in one product, gate and up in another, and heads that may be
 * rotated in part. https://github.com/huggingface/transformers/blob/v5.0.0/src/transformers/models/phi3/modeling_phi3.py
 */
import type { SoftmaxAttention } from '../../model/architecture';
import { act } from '../operations/activations';
import { add, dropout, multiply } from '../operations/elementwise';
import { concatenate, slice, split, splitHeads } from '../operations/layout';
import { linear } from '../operations/linear';
import { normalize } from '../operations/norms';
import { hold, release } from '../tape/tape';
import { type Tensor, width } from '../tape/tensor';
import type { FamilyForward } from './context';
import { attend, attentionForm, isWrittenOut } from './parts/attention';
import { type BlockContext, causalDecoderLoss } from './parts/causalDecoder';
import { rotate, type RotaryTables } from './parts/rotary';

export const phi3Loss: FamilyForward = (forward) => causalDecoderLoss(forward, phi3Block);

function phi3Block(context: BlockContext, x: Tensor): Tensor {
  const { block, layer, stack } = context;
  const { mixer } = layer;
  if (mixer.kind !== 'attention') throw new Error('Not a Phi-3 block.');
  const { residual } = stack.dropout;
  const attended = hold(
    phi3Attention(context, mixer, normalize(block.child('input_layernorm'), x, layer.norm)),
  );
  const middle = hold(add(x, dropout(attended, residual)));
  release(attended);
  const normed = normalize(block.child('post_attention_layernorm'), middle, layer.norm);
  return add(middle, dropout(phi3Mlp(context, normed), residual));
}

function phi3Attention(context: BlockContext, attention: SoftmaxAttention, x: Tensor): Tensor {
  const { forward, tables, mask } = context;
  const { tape, batch, sequence } = forward;
  const { heads, keyValueHeads, headDim } = attention;
  const module = context.block.child('self_attn');
  return tape.call(module.place, [x], () => {
    const joined = hold(linear(module.child('qkv_proj'), x));
    const form = attentionForm(forward, attention, joined.elementBytes, mask !== null);
    const parts = [heads, keyValueHeads, keyValueHeads].map((count) => hold(slice(joined, count * headDim)));
    const [query, key, value] = parts.map((part, index) => {
      const count = index === 0 ? heads : keyValueHeads;
      const copied = index < 2 || isWrittenOut(form);
      return hold(splitHeads(part, [batch, count, sequence, headDim], copied));
    });
    if (query === undefined || key === undefined || value === undefined) throw new Error('Three parts.');
    const [rotatedQuery, rotatedKey] = rotateParts(query, key, tables);
    release(query);
    release(key);
    const output = attend(form, attention, rotatedQuery, rotatedKey, value, mask);
    return linear(module.child('o_proj'), output);
  });
}

/** Rotates the first elements of each head; the rest, which may be none, is joined on again. */
function rotateParts(query: Tensor, key: Tensor, tables: RotaryTables): [Tensor, Tensor] {
  const { tape } = query;
  const rotated = width(tables.cos.shape);
  const [wholeQuery, wholeKey] = tape.frame([], () => {
    const parts = [query, key].map((x) => ({
      turned: hold(slice(x, rotated)),
      rest: hold(slice(x, width(x.shape) - rotated)),
    }));
    return parts.map(({ turned, rest }) => hold(concatenate([rotate(turned, tables), rest])));
  });
  if (wholeQuery === undefined || wholeKey === undefined) throw new Error('Query and key.');
  return [hold(wholeQuery), hold(wholeKey)];
}

function phi3Mlp({ block, layer }: BlockContext, x: Tensor): Tensor {
  const { feedForward } = layer;
  if (feedForward.kind !== 'mlp') throw new Error('Not a Phi-3 block.');
  const module = block.child('mlp');
  return module.tape.call(module.place, [x], () => {
    const joined = hold(linear(module.child('gate_up_proj'), x));
    const [gate, up] = split(joined, [feedForward.width, feedForward.width]);
    if (gate === undefined || up === undefined) throw new Error('Two parts.');
    const inner = multiply(hold(up), act(feedForward.activation, hold(gate)));
    return linear(module.child('down_proj'), inner);
  });
}
