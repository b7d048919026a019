/**
 * ModernBERT with a masked-language-model head: fused projections, rotary positions applied in fp32, gated MLPs, and attention that
 * is local in most layers.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/modernbert/modeling_modernbert.py
 */
import { act } from '../../memory/operations/activations';
import { add, cast, dropout, multiply, scale } from '../../memory/operations/elementwise';
import { embedding } from '../../memory/operations/embedding';
import { firstPosition, meanOfPositions, split, splitHeads } from '../../memory/operations/layout';
import { linear } from '../../memory/operations/linear';
import { crossEntropy } from '../../memory/operations/loss';
import { layerNorm } from '../../memory/operations/norms';
import { MissingPart, type Module } from '../../memory/tape/module';
import { hold, holdAll, last } from '../../memory/tape/tape';
import { FP32, INT64, type Tensor } from '../../memory/tape/tensor';
import type { Layer, Mlp, SoftmaxAttention, Stack } from '../../model/architecture';
import { type AttentionOutputs, attendWithWeights, attentionForm } from '../common/simulation/attention';
import type { Classifier } from '../common/simulation/classifierHead';
import { outputOf } from '../common/simulation/encoderAttention';
import { firstStack, plainLayer } from '../common/simulation/expected';
import { bidirectionalMask, bidirectionalSlidingMask } from '../common/simulation/masks';
import { type RotaryTables, givenTables, rotaryTables, rotateHalf } from '../common/simulation/rotary';
import { spanLoss } from '../common/simulation/spanLoss';
import { type FamilyForward, type Forward, requireInputGradient, runBlock } from '../forward';

/**
 * `ModernBertForMaskedLM.forward` with labels: the loss.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/modernbert/modeling_modernbert.py#L498
 */
export const simulateModernbert: FamilyForward = (forward) => {
  const { tape, root, architecture } = forward;
  const stack = firstStack(architecture);
  const { head } = architecture;
  if (head.kind === 'classifier')
    return tape.frame([], () => {
      const hidden = hold(modernbertModel(forward, root.child('model'), stack));
      return tape.as('logits', () => classify(root, head, hidden));
    });
  if (head.kind !== 'language-model' || head.transform === null)
    throw new MissingPart('The model has no masked-language-model head.');
  const { activation } = head.transform;
  return tape.frame([], () => {
    const hidden = hold(modernbertModel(forward, root.child('model'), stack));
    return tape.as('logits', () => {
      const logits = hold(linear(root.child('decoder'), transformed(root.child('head'), activation, hidden)));
      return crossEntropy(hold(cast(logits, FP32)), null);
    });
  });
};

/**
 * What the class reads of hidden states [batch, positions, width] through the head's dense layer and norm, dropout, and the loss of each
 * token's label, of the input's or of an answer's ends.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/modernbert/modeling_modernbert.py#L585
 */
function classify(root: Module, facts: Classifier, hidden: Tensor): Tensor {
  const { dropout: probability, over, transform } = facts;
  if (transform === null) throw new MissingPart('The classifier has no dense layer.');
  const read = over === 'tokens' || over === 'span' ? hidden : hold(pooled(hidden, over));
  const made = hold(transformed(root.child('head'), transform.activation, read));
  const kept = hold(dropout(last(made), probability));
  const classifier = root.child('classifier');
  if (over === 'span') return spanLoss(classifier, kept);
  return crossEntropy(hold(linear(classifier, kept)), null);
}

/** The first token [batch, width], or the mean of those that the padding mask lets count: products, their sum, a quotient. */
function pooled(hidden: Tensor, over: 'input' | 'mean'): Tensor {
  if (over === 'input') return firstPosition(hidden);
  const { elementBytes, shape, tape } = hidden;
  const [batch = 1] = shape;
  return tape.frame([], () => {
    const counted = hold(
      tape.apply([hidden], [], shape, elementBytes, () => [tape.create(shape, elementBytes)]),
    );
    const sums = hold(meanOfPositions(counted));
    hold(tape.create([batch, 1], INT64));
    return scale(sums);
  });
}

const transformed = (head: Module, activation: string, hidden: Tensor): Tensor =>
  head.tape.call(head.place, [], () =>
    layerNorm(head.child('norm'), act(activation, linear(head.child('dense'), hidden))),
  );

function modernbertModel(forward: Forward, model: Module, stack: Stack): Tensor {
  const { tape, attention, sequence, bufferBytes } = forward;
  const { positions } = stack;
  if (positions.kind !== 'rope') throw new MissingPart('The model has no rotary positions.');
  return tape.call(model.place, [], () => {
    hold(tape.create([1, sequence], INT64));
    // A dictionary of the masks' arguments keeps the embeddings.
    const embedded = hold(embeddings(forward, model.child('embeddings'), stack));
    let hidden = embedded;
    requireInputGradient(forward, hidden);
    bidirectionalMask(forward);
    const windows = [...new Set(stack.layers.map(({ mixer }) => windowOf(mixer)))];
    const window = windows.find((size) => size !== null) ?? null;
    const mask = window === null ? null : bidirectionalSlidingMask(forward, window, attention === 'eager');
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
            modernbertLayer(forward, block, layer, stack, x, givenTables(cos, sin), local),
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
  layer: Layer,
  stack: Stack,
  x: Tensor,
  tables: RotaryTables,
  mask: Tensor | null,
): Tensor {
  const { mixer, feedForward } = plainLayer(layer);
  // The first layer's input is normed already.
  const normed = block.has('attn_norm') ? layerNorm(block.child('attn_norm'), x) : x;
  // Eager attention's weights have a name until the layer returns.
  const attended = outputOf(attention(forward, block.child('attn'), mixer, normed, tables, mask));
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
): AttentionOutputs {
  const { heads, headDim } = facts;
  const [batch = 1, positions = 1] = x.shape;
  return forward.tape.call(module.place, [x], (): AttentionOutputs => {
    const form = attentionForm(forward, facts, x.elementBytes, mask !== null);
    const size = heads * headDim;
    const fused = hold(linear(module.child('Wqkv'), x));
    const [flatQuery, flatKey, flatValue] = split(fused, [size, size, size]);
    const inHeads = (flat: Tensor): Tensor =>
      hold(splitHeads(flat, [batch, heads, positions, headDim], false));
    const [plainQuery, plainKey, value] = [inHeads(flatQuery), inHeads(flatKey), inHeads(flatValue)];
    const [query, key] = holdAll(turnBoth(plainQuery, plainKey, tables));
    const [joined, ...weights] = holdAll(attendWithWeights(form, facts, { query, key, value, mask }));
    return [dropout(linear(module.child('Wo'), last(joined)), facts.dropout), ...weights];
  });
}

/**
 * `apply_rotary_pos_emb`: both turned in fp32, then cast back.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/modernbert/modeling_modernbert.py#L196
 */
function turnBoth(query: Tensor, key: Tensor, tables: RotaryTables): [Tensor, Tensor] {
  const { elementBytes, tape } = query;
  return tape.frame([], () => {
    const turnedQuery = hold(turnInFp32(query, tables));
    const turnedKey = hold(turnInFp32(key, tables));
    return [cast(turnedQuery, elementBytes), cast(turnedKey, elementBytes)];
  });
}

/** `x.float() * cos + rotate_half(x.float()) * sin`, which casts twice. */
function turnInFp32(x: Tensor, { cos, sin }: RotaryTables): Tensor {
  return add(multiply(cast(x, FP32), cos), multiply(rotateHalf(cast(x, FP32)), sin));
}

function mlp(module: Module, facts: Mlp, probability: number, x: Tensor): Tensor {
  return module.tape.call(module.place, [x], () => {
    const [input, gate] = holdAll(split(linear(module.child('Wi'), x), [facts.width, facts.width]));
    const inner = multiply(act(facts.activation, input), gate);
    return linear(module.child('Wo'), dropout(inner, probability));
  });
}
