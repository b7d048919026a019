/**
 * GPT-J and CodeGen: attention and MLP side by side after one norm, rotary tables looked up in every layer, attention written in
 * Python with its products in fp32.
 * https://github.com/huggingface/transformers/blob/v5.0.0/src/transformers/models/gptj/modeling_gptj.py
 */
import type { SoftmaxAttention } from '../../model/architecture';
import { act } from '../operations/activations';
import { add, cast, dropout, scale } from '../operations/elementwise';
import { concatenate, copy, copyForward, slice, split, splitHeads, view } from '../operations/layout';
import { batchedProduct, linear } from '../operations/linear';
import { normalize } from '../operations/norms';
import { softmax } from '../operations/softmax';
import { hold, last } from '../tape/tape';
import { FP32, INT64, type Tensor, width, withWidth } from '../tape/tensor';
import type { Forward } from './context';
import { type GptBlockContext, gptDecoderLoss, gptNames, heldMask, positionIds } from './parts/gptDecoder';
import { rotate, type RotaryTables } from './parts/rotary';

export const gptJLoss = gptDecoderLoss({
  names: gptNames,
  prepare: (forward, _model, stack, tokens) => {
    const ids = positionIds(forward);
    const mask = heldMask(forward, true);
    return { hidden: hold(dropout(tokens, stack.dropout.embedding)), shared: [mask, ids] };
  },
  block: gptJBlock,
});

function gptJBlock(context: GptBlockContext, x: Tensor): readonly Tensor[] {
  const { block, layer, stack } = context;
  const { feedForward, mixer } = layer;
  if (mixer.kind !== 'attention' || feedForward.kind !== 'mlp') throw new Error('Not a GPT-J block.');
  const { residual } = stack.dropout;
  const normed = hold(normalize(block.child('ln_1'), x, layer.norm));
  const [attended, weights] = gptJAttention(context, mixer, normed);
  hold(attended);
  hold(weights);
  const mlp = block.child('mlp');
  const fed = mlp.tape.call(mlp.place, [normed], () => {
    const inner = hold(act(feedForward.activation, linear(mlp.child('fc_in'), normed)));
    return dropout(linear(mlp.child('fc_out'), last(inner)), residual);
  });
  return [add(add(attended, hold(fed)), x), weights];
}

function gptJAttention(
  { forward, block, shared, stack }: GptBlockContext,
  attention: SoftmaxAttention,
  x: Tensor,
): [Tensor, Tensor] {
  const { tape, batch, sequence } = forward;
  const { heads, headDim, projection } = attention;
  const { positions } = stack;
  const rotaryDim = positions.kind === 'rope' ? positions.rotaryDim : headDim;
  const module = block.child('attn');
  const [mask = null] = shared;
  return tape.call(module.place, [x], () => {
    const parts =
      projection === 'fused'
        ? split(
            linear(module.child('qkv_proj'), x),
            [1, 2, 3].map(() => heads * headDim),
          ).map((part) => hold(part))
        : ['q_proj', 'k_proj', 'v_proj'].map((name) => hold(linear(module.child(name), x)));
    const [query, key, value] = parts.map((part, index) =>
      index === 2
        ? hold(splitHeads(last(part), [batch, heads, sequence, headDim], true))
        : hold(view(last(part), [batch, sequence, heads, headDim])),
    );
    if (query === undefined || key === undefined || value === undefined) throw new Error('Three parts.');
    const tables = lookUpTables(forward, stack.maxPositions ?? sequence, rotaryDim, key.elementBytes);
    const cut = (part: Tensor): [Tensor, Tensor] => [
      hold(slice(part, rotaryDim)),
      hold(slice(part, headDim - rotaryDim)),
    ];
    const [turnedKey, restKey] = cut(key);
    const [turnedQuery, restQuery] = cut(query);
    const rotatedKey = hold(rotateSpread(last(turnedKey), tables));
    const rotatedQuery = hold(rotateSpread(last(turnedQuery), tables));
    const wholeKey = joinParts(rotatedKey, restKey, key);
    const wholeQuery = joinParts(rotatedQuery, restQuery, query);
    const [attended, weights] = tape.frame([], () =>
      attendInFp32(wholeQuery, wholeKey, value, mask, attention),
    );
    const merged = hold(copy(attended));
    const joined = view(merged, [batch, sequence, heads * headDim]);
    return [dropout(linear(module.child('out_proj'), joined), stack.dropout.residual), weights];
  });

  function joinParts(turned: Tensor, rest: Tensor, old: Tensor): Tensor {
    const whole = hold(concatenate([turned, rest]));
    const headed = hold(view(last(whole), [batch, heads, sequence, headDim]));
    headed.positionsFirst = heads > 1;
    tape.release(old);
    return headed;
  }
}

/** The table of all positions is copied, the positions are spread over its width, and the rows are gathered. */
function lookUpTables(
  { tape, sequence, bufferBytes }: Forward,
  rows: number,
  rotaryDim: number,
  elementBytes: number,
): RotaryTables {
  hold(tape.create([1, rows, rotaryDim], bufferBytes));
  hold(tape.create([1, sequence, rotaryDim], INT64));
  const gathered = hold(cast(tape.create([1, sequence, rotaryDim], bufferBytes), elementBytes));
  const [sin, cos] = split(gathered, [rotaryDim / 2, rotaryDim / 2]).map((part) => hold(part));
  if (sin === undefined || cos === undefined) throw new Error('Two parts.');
  return { cos, sin };
}

/** `apply_rotary_pos_emb`: spreads the tables over pairs of neighbours, then turns. */
function rotateSpread(x: Tensor, { cos, sin }: RotaryTables): Tensor {
  const { tape } = x;
  return tape.frame([x], () => {
    const spread = [sin, cos].map((table) =>
      hold(copyForward(table, withWidth(table.shape, 2 * width(table.shape)))),
    );
    const [wideSin, wideCos] = spread;
    if (wideSin === undefined || wideCos === undefined) throw new Error('Two tables.');
    return rotate(x, { cos: wideCos, sin: wideSin });
  });
}

/** `_attn`: query and key in fp32, scaled scores, mask, softmax, back to the value's type. */
function attendInFp32(
  query: Tensor,
  key: Tensor,
  value: Tensor,
  mask: Tensor | null,
  attention: SoftmaxAttention,
): [Tensor, Tensor] {
  const [batch = 1, heads = 1, sequence = 1, headDim = 1] = query.shape;
  const wideQuery = hold(cast(query, FP32));
  const wideKey = hold(cast(key, FP32));
  let weights = hold(
    batchedProduct(wideQuery, wideKey, [batch, heads, sequence, sequence], { left: true, right: 'copy' }),
  );
  weights = hold(scale(last(weights)));
  if (mask !== null) weights = hold(add(last(weights), mask));
  weights = hold(softmax(last(weights)));
  weights = hold(cast(last(weights), value.elementBytes));
  weights = hold(dropout(last(weights), attention.dropout));
  const output = batchedProduct(weights, value, [batch, heads, sequence, headDim], {
    left: false,
    right: 'copy',
  });
  return [output, weights];
}
