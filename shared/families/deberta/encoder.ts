/** What both versions of DeBERTa share: embeddings, encoder, layers and the masked-language-model head. */
import { act } from '../../memory/operations/activations';
import { convolution } from '../../memory/operations/convolution';
import { add, dropout, maskedFill, maskedFillInPlace, multiply } from '../../memory/operations/elementwise';
import { embedding } from '../../memory/operations/embedding';
import { copy } from '../../memory/operations/layout';
import { linear } from '../../memory/operations/linear';
import { layerNorm } from '../../memory/operations/norms';
import { softmax } from '../../memory/operations/softmax';
import { MissingPart, type Module } from '../../memory/tape/module';
import { type Tape, hold, last, release } from '../../memory/tape/tape';
import { BOOL, INT64, type Shape, type Tensor } from '../../memory/tape/tensor';
import type { Layer, SoftmaxAttention, Stack } from '../../model/architecture';
import { bertMlp, denseAndNorm, predict } from '../bert/simulation';
import { type BlockRun, runBlocks } from '../common/simulation/blocks';
import { plainLayer } from '../common/simulation/expected';
import { encoderLoss } from '../common/simulation/maskedHead';
import { type FamilyForward, type Forward, requireInputGradient } from '../forward';

/** What the versions do in their own ways. */
export interface DebertaCode {
  readonly norm: (module: Module, x: Tensor) => Tensor;
  /** Distances between positions, as integers. */
  readonly distances: (tape: Tape, stack: Stack, sequence: number) => Tensor;
  readonly attention: (
    module: Module,
    facts: SoftmaxAttention,
    stack: Stack,
    shared: Shared,
    x: Tensor,
  ) => Tensor;
}

/** `DebertaForMaskedLM.forward` with labels: the loss. */
export const debertaLossOf = (code: DebertaCode): FamilyForward =>
  encoderLoss(
    (forward, stack) => debertaModel(forward, forward.root.child('deberta'), stack, code),
    (root, activation, hidden) => {
      const head = root.child('cls');
      return head.tape.call(head.place, [hidden], () =>
        predict(head.child('predictions'), activation, hidden),
      );
    },
  );

function debertaModel(forward: Forward, model: Module, stack: Stack, code: DebertaCode): Tensor {
  const { tape, batch, sequence } = forward;
  return tape.call(model.place, [], () => {
    hold(tape.create([batch, sequence], INT64));
    const embedded = hold(debertaEmbeddings(forward, model.child('embeddings'), stack, code));
    requireInputGradient(forward, embedded);
    // All hidden states are collected.
    return encode(forward, model.child('encoder'), stack, code, embedded);
  });
}

/** Tokens (and positions and types where the config has them), the norm, and padding set to zero. */
function debertaEmbeddings(forward: Forward, module: Module, stack: Stack, code: DebertaCode): Tensor {
  const { tape, batch, sequence } = forward;
  return tape.call(module.place, [], () => {
    const tokens = hold(embedding(module.child('word_embeddings'), [batch, sequence], null));
    let hidden = tokens;
    const next = (made: Tensor): void => {
      const before = hidden;
      hidden = hold(made);
      if (before !== tokens) release(before);
    };
    if (module.has('position_embeddings')) {
      const positions = hold(embedding(module.child('position_embeddings'), [1, sequence], null));
      next(add(hidden, positions));
    } else hold(tape.create(tokens.shape, tokens.elementBytes));
    if (module.has('token_type_embeddings')) {
      const types = tape.create([batch, sequence], INT64);
      next(add(hidden, embedding(module.child('token_type_embeddings'), [batch, sequence], types)));
    }
    if (module.has('embed_proj')) next(linear(module.child('embed_proj'), hidden));
    next(code.norm(module.child('LayerNorm'), hidden));
    const mask = hold(tape.create([batch, sequence, 1], hidden.elementBytes));
    next(multiply(hidden, mask));
    return dropout(last(hidden), stack.dropout.embedding);
  });
}

function encode(
  forward: Forward,
  encoder: Module,
  stack: Stack,
  code: DebertaCode,
  embedded: Tensor,
): Tensor {
  const { tape, batch, sequence } = forward;
  return tape.call(encoder.place, [], () => {
    const mask = hold(tape.create([batch, 1, sequence, sequence], INT64));
    const relative = stack.positions.kind === 'disentangled';
    const distances = relative ? hold(code.distances(tape, stack, sequence)) : null;
    const table = relative ? encoder.child('rel_embeddings').parameter('weight') : null;
    const rows =
      table !== null && encoder.has('LayerNorm') ? hold(layerNorm(encoder.child('LayerNorm'), table)) : table;
    const blocks = encoder.child('layer');
    const run = (hidden: Tensor, from: number, to: number): Tensor => {
      const layers = stack.layers.slice(from, to);
      const part: BlockRun = { blocks, layers, from, hidden, named: 'all', shared: [mask, distances, rows] };
      return runBlocks(forward, part, (block, layer, x, [allowed, apart = null, table = null]) => {
        const shared = { mask: allowed ?? mask, distances: apart, rows: table };
        return debertaLayer(block, layer, stack, code, shared, x);
      });
    };
    if (!encoder.has('conv')) return run(embedded, 0, stack.layers.length);
    const first = run(embedded, 0, 1);
    const joined = hold(neighbours(encoder.child('conv'), stack.dropout.residual, embedded, first));
    return run(joined, 1, stack.layers.length);
  });
}

/**
 * The convolution over neighbouring tokens of the embeddings, added to the first layer's output (v2 of 900M and 1.5B): `hidden` and `output`
 * [batch, positions, width], and so the result. The activation keeps one tensor whatever it is.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/deberta_v2/modeling_deberta_v2.py#L449
 */
function neighbours(module: Module, residualDropout: number, hidden: Tensor, output: Tensor): Tensor {
  const { tape } = module;
  const { shape, elementBytes } = hidden;
  const [batch = 1, positions = 1, width = 1] = shape;
  return tape.call(module.place, [], () => {
    const columns = [batch, width, positions];
    const made = convolution(module.child('conv'), {
      inputShape: columns,
      input: copy(hidden, columns),
      outputShape: shape,
      windows: 'overlapping',
    });
    let out = hold(copy(made));
    const numbers = tape.create([batch, positions], INT64);
    const isPadding = hold(tape.create([batch, positions], BOOL));
    release(numbers);
    out = hold(maskedFillInPlace(last(out), isPadding));
    out = hold(act('tanh', dropout(last(out), residualDropout)));
    const sum = hold(add(output, out));
    const normed = hold(layerNorm(module.child('LayerNorm'), sum));
    const mask = hold(tape.create([batch, positions, 1], elementBytes));
    return multiply(normed, mask);
  });
}

/** What all layers share. */
export interface Shared {
  /** Which pairs are allowed, as integers. */
  readonly mask: Tensor;
  readonly distances: Tensor | null;
  /** The normed table of distances. */
  readonly rows: Tensor | null;
}

function debertaLayer(
  block: Module,
  layer: Layer,
  stack: Stack,
  code: DebertaCode,
  shared: Shared,
  x: Tensor,
): Tensor {
  const { mixer, feedForward } = plainLayer(layer);
  const { residual } = stack.dropout;
  const { tape } = block;
  const attention = block.child('attention');
  const attended = hold(
    tape.call(attention.place, [], () => {
      const joined = hold(code.attention(attention.child('self'), mixer, stack, shared, x));
      return denseAndNorm(attention.child('output'), residual, joined, x, code.norm);
    }),
  );
  return bertMlp(block, feedForward, residual, attended, code.norm);
}

/**
 * Scores [batch, heads, positions, positions], held, with those of forbidden pairs filled, as weights that dropout has passed; the
 * mask's booleans and the filled scores keep their names.
 */
export function weightsOf(scores: Tensor, mask: Tensor, probability: number): Tensor {
  const { tape } = scores;
  hold(tape.create(mask.shape, BOOL));
  const filled = hold(maskedFill(last(scores), tape.create(mask.shape, BOOL)));
  const weights = hold(softmax(filled));
  return hold(dropout(last(weights), probability));
}

/** What the scores of distances are made of: both sides of the contents' scores, distances between positions, the table's rows. */
export interface DistanceInputs {
  readonly query: Tensor;
  readonly key: Tensor;
  readonly distances: Tensor;
  readonly rows: Tensor;
}

/** Which products the scores of distances sum: of contents with distances (`c2p`), of distances with contents (`p2c`). */
export function distanceTerms({ positions }: Stack): readonly string[] {
  if (positions.kind !== 'disentangled') throw new MissingPart('The scores of distances have no terms.');
  return positions.terms;
}

/** Where each pair of positions finds its distance, for every head in `shape`: `clamp(±distances + span)`, held. */
export function pairPlaces(distances: Tensor, shape: Shape, negated: boolean): Tensor {
  const { tape } = distances;
  const turned = negated ? tape.create(distances.shape, INT64) : null;
  const shifted = tape.create(distances.shape, INT64);
  if (turned !== null) release(turned);
  const clamped = hold(tape.create(distances.shape, INT64));
  release(shifted);
  return hold(tape.share(clamped, shape));
}
