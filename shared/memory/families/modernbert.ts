/**
 * ModernBERT with a masked-language-model head: fused projections, rotary positions applied in fp32, gated MLPs, and attention that
 * is local in most layers.
 * https://github.com/huggingface/transformers/blob/v5.0.0/src/transformers/models/modernbert/modeling_modernbert.py
 */
import type { Layer, Mlp, SoftmaxAttention, Stack } from '../../model/architecture';
import { act } from '../operations/activations';
import { add, cast, dropout, multiply } from '../operations/elementwise';
import { embedding } from '../operations/embedding';
import { firstPosition, split, splitHeads } from '../operations/layout';
import { linear } from '../operations/linear';
import { crossEntropy } from '../operations/loss';
import { layerNorm } from '../operations/norms';
import type { Module } from '../tape/module';
import { hold, last } from '../tape/tape';
import { FP32, INT64, type Tensor } from '../tape/tensor';
import { type FamilyForward, type Forward, requireInputGradient, runBlock } from './context';
import { attendWithWeights, attentionForm } from './parts/attention';
import { bidirectionalMask, bidirectionalSlidingMask } from './parts/masks';
import { rotateHalf, type RotaryTables, rotaryTables, tablesOf } from './parts/rotary';

/** `ModernBertForMaskedLM.forward` with labels: the loss. */
export const modernbertLoss: FamilyForward = (forward) => {
  const { tape, root, architecture } = forward;
  const [stack] = architecture.stacks;
  const { head } = architecture;
  if (stack === undefined) throw new Error('An encoder has a stack.');
  if (head.kind === 'classifier')
    return tape.frame([], () => {
      const hidden = hold(modernbertModel(forward, root.child('model'), stack));
      return tape.as('logits', () => classify(root, head.transform?.activation ?? 'gelu', head.over, hidden));
    });
  if (head.kind !== 'language-model' || head.transform === null)
    throw new Error('A masked language model has a head with a transform.');
  const { activation } = head.transform;
  return tape.frame([], () => {
    const hidden = hold(modernbertModel(forward, root.child('model'), stack));
    return tape.as('logits', () => {
      const logits = hold(linear(root.child('decoder'), transformed(root.child('head'), activation, hidden)));
      return crossEntropy(hold(cast(logits, FP32)), null);
    });
  });
};

/** Each token, or the first one for the whole input, through the head's dense layer and norm. */
function classify(
  root: Module,
  activation: string,
  over: 'tokens' | 'input' | 'span',
  hidden: Tensor,
): Tensor {
  const read = over === 'input' ? hold(firstPosition(hidden)) : hidden;
  const made = hold(transformed(root.child('head'), activation, read));
  return crossEntropy(hold(linear(root.child('classifier'), made)), null);
}

const transformed = (head: Module, activation: string, hidden: Tensor): Tensor =>
  head.tape.call(head.place, [], () =>
    layerNorm(head.child('norm'), act(activation, linear(head.child('dense'), hidden))),
  );

function modernbertModel(forward: Forward, model: Module, stack: Stack): Tensor {
  const { tape, batch, sequence, bufferBytes } = forward;
  const { positions } = stack;
  if (positions.kind !== 'rope') throw new Error('ModernBERT has rotary positions.');
  return tape.call(model.place, [], () => {
    hold(tape.create([1, sequence], INT64));
    // A dictionary of the masks' arguments keeps the embeddings.
    const embedded = hold(embeddings(forward, model.child('embeddings'), stack));
    let hidden = embedded;
    requireInputGradient(forward, hidden);
    bidirectionalMask(tape, batch, sequence);
    const windows = [...new Set(stack.layers.map(({ mixer }) => windowOf(mixer)))];
    const window = windows.find((size) => size !== null) ?? null;
    const mask = window === null ? null : bidirectionalSlidingMask(forward, window);
    if (mask !== null) hold(mask);
    const tables = new Map(
      windows.map((size) => {
        const made = rotaryTables(tape, sequence, positions.rotaryDim, bufferBytes, hidden.elementBytes);
        return [size, { cos: hold(made.cos), sin: hold(made.sin) }] as const;
      }),
    );
    stack.layers.forEach((layer, index) => {
      const block = model.child('layers').child(String(index));
      const own = windowOf(layer.mixer);
      const turned = tables.get(own);
      const given = [turned?.cos ?? null, turned?.sin ?? null, own === null ? null : mask];
      hidden = hold(
        runBlock(
          forward,
          block,
          index === 0 ? embedded : last(hidden),
          given,
          (x, [cos, sin, local = null]) =>
            modernbertLayer(forward, block, layer, stack, x, tablesOf(cos, sin), local),
        ),
      );
    });
    return layerNorm(model.child('final_norm'), last(hidden));
  });
}

/** Tokens of the window of a layer with local attention. */
const windowOf = (mixer: Layer['mixer']): number | null => (mixer.kind === 'attention' ? mixer.window : null);

function embeddings({ tape, batch, sequence }: Forward, module: Module, stack: Stack): Tensor {
  return tape.call(module.place, [], () => {
    const tokens = embedding(module.child('tok_embeddings'), [batch, sequence], null);
    return dropout(layerNorm(module.child('norm'), tokens), stack.dropout.embedding);
  });
}

function modernbertLayer(
  forward: Forward,
  block: Module,
  { mixer, feedForward }: Layer,
  stack: Stack,
  x: Tensor,
  tables: RotaryTables,
  mask: Tensor | null,
): Tensor {
  if (mixer.kind !== 'attention' || feedForward.kind !== 'mlp') throw new Error('Not a ModernBERT layer.');
  // The first layer's input is normed already.
  const normed = block.has('attn_norm') ? layerNorm(block.child('attn_norm'), x) : x;
  // Eager attention's weights have a name until the layer returns.
  const [attended] = attention(forward, block.child('attn'), mixer, normed, tables, mask).map(hold);
  if (attended === undefined) throw new Error('Attention has an output.');
  const middle = hold(add(x, attended));
  const inner = layerNorm(block.child('mlp_norm'), middle);
  return add(last(middle), mlp(block.child('mlp'), feedForward, stack.dropout.activation, inner));
}

function attention(
  forward: Forward,
  module: Module,
  facts: SoftmaxAttention,
  x: Tensor,
  tables: RotaryTables,
  mask: Tensor | null,
): readonly Tensor[] {
  const { heads, headDim } = facts;
  const [batch = 1, positions = 1] = x.shape;
  return forward.tape.call(module.place, [x], () => {
    const form = attentionForm(forward, facts, x.elementBytes, mask !== null);
    const size = heads * headDim;
    const fused = hold(linear(module.child('Wqkv'), x));
    const [query, key, value] = split(fused, [size, size, size]).map((part) =>
      hold(splitHeads(part, [batch, heads, positions, headDim], false)),
    );
    if (query === undefined || key === undefined || value === undefined) throw new Error('Three parts.');
    const [turnedQuery, turnedKey] = forward.tape
      .frame([], () => {
        const turned = [query, key].map((part) => hold(turnInFp32(part, tables)));
        return turned.map((part) => cast(part, query.elementBytes));
      })
      .map(hold);
    if (turnedQuery === undefined || turnedKey === undefined) throw new Error('Query and key.');
    const [joined, ...weights] = attendWithWeights(form, facts, turnedQuery, turnedKey, value, mask).map(
      hold,
    );
    if (joined === undefined) throw new Error('Attention has an output.');
    return [dropout(linear(module.child('Wo'), last(joined)), facts.dropout), ...weights];
  });
}

/** `x.float() * cos + rotate_half(x.float()) * sin`, which casts twice. */
function turnInFp32(x: Tensor, { cos, sin }: RotaryTables): Tensor {
  return add(multiply(cast(x, FP32), cos), multiply(rotateHalf(cast(x, FP32)), sin));
}

function mlp(module: Module, facts: Mlp, probability: number, x: Tensor): Tensor {
  return module.tape.call(module.place, [x], () => {
    const [input, gate] = split(linear(module.child('Wi'), x), [facts.width, facts.width]).map(hold);
    if (input === undefined || gate === undefined) throw new Error('Two parts.');
    const inner = multiply(act(facts.activation, input), gate);
    return linear(module.child('Wo'), dropout(inner, probability));
  });
}
