/** Blocks of encoders and decoders with biases everywhere (BART, mBART, Pegasus, Marian) and the decoder's ids. */
import { act } from '../../../memory/operations/activations';
import { add, dropout } from '../../../memory/operations/elementwise';
import { linear } from '../../../memory/operations/linear';
import { layerNorm } from '../../../memory/operations/norms';
import { MissingPart, type Module } from '../../../memory/tape/module';
import { hold, holdAll, last, release } from '../../../memory/tape/tape';
import { BOOL, INT64, type Tensor } from '../../../memory/tape/tensor';
import type { Layer, Mlp, SoftmaxAttention, Stack } from '../../../model/architecture';
import type { Forward } from '../../forward';
import type { AttentionOutputs } from './attention';
import { type ProjectionNames, projectAndAttend } from './encoderAttention';
import { plainLayer } from './expected';

const projections: ProjectionNames = { query: 'q_proj', key: 'k_proj', value: 'v_proj' };

/**
 * `shift_tokens_right`: the labels int64 [batch, sequence] moved by one behind a start token.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/bart/modeling_bart.py#L58
 */
export function shiftRight({ tape, batch, sequence }: Forward): Tensor {
  const shifted = tape.create([batch, sequence], INT64);
  tape.scratch(batch * (sequence - 1) * INT64);
  tape.scratch(batch * sequence * BOOL);
  return shifted;
}

/**
 * mBART's `shift_tokens_right`: the last token that is no padding, a language code, goes to the front.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/mbart/modeling_mbart.py#L59
 */
export function shiftRightWrapping({ tape, batch, sequence }: Forward): Tensor {
  return tape.frame([], () => {
    const shifted = tape.create([batch, sequence], INT64);
    shifted.floating = false;
    tape.scratch(batch * sequence * BOOL);
    const isToken = tape.create([batch, sequence], BOOL);
    const count = tape.create([batch], INT64);
    tape.scratch(batch * sequence * INT64);
    release(isToken);
    hold(tape.create([batch], INT64));
    release(count);
    hold(tape.create([batch], INT64));
    tape.scratch(batch * (sequence - 1) * INT64);
    return shifted;
  });
}

/** What an attention of these blocks reads. */
interface Attended {
  readonly facts: SoftmaxAttention;
  readonly module: Module;
  readonly norm: Module;
  /** The encoder's output in cross attention. */
  readonly source: Tensor | null;
  readonly mask: Tensor | null;
  readonly attend: Attend;
}

/**
 * The attention of x over a source (x itself, or the encoder's output) without the last product, as `projectAndAttend` does it:
 * the output and eager attention's weights.
 */
type Attend = (
  forward: Forward,
  module: Module,
  facts: SoftmaxAttention,
  x: Tensor,
  source: Tensor,
  mask: Tensor | null,
) => AttentionOutputs;

const plainAttend: Attend = (forward, module, facts, x, source, mask) =>
  projectAndAttend(forward, module, facts, projections, x, source, mask);

/**
 * `BartEncoderLayer`, `MBartEncoderLayer` over x [batch, positions, width]; Whisper's has an attention of its own. Backward keeps the
 * inputs of products and norms, and the masks of what is dropped.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/bart/modeling_bart.py#L260
 */
export function encoderLayer(
  forward: Forward,
  block: Module,
  layer: Layer,
  stack: Stack,
  x: Tensor,
  attend = plainAttend,
): Tensor {
  const { mixer, feedForward } = plainLayer(layer);
  const [middle] = attentionPart(forward, layer, stack, selfAttention(block, mixer, null, attend), x, null);
  return feedForwardPart(block, layer, feedForward, stack, middle);
}

/**
 * `BartDecoderLayer`, `MBartDecoderLayer`: the same with an attention over `encoded` [batch, source positions, width] between.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/bart/modeling_bart.py#L311
 */
export function decoderLayer(
  forward: Forward,
  block: Module,
  layer: Layer,
  stack: Stack,
  x: Tensor,
  mask: Tensor | null,
  encoded: Tensor,
  attend = plainAttend,
): Tensor {
  const { mixer, feedForward } = plainLayer(layer);
  const { cross } = layer;
  if (cross === null) throw new MissingPart('The layer has no attention over the encoder.');
  const [own, weights] = attentionPart(
    forward,
    layer,
    stack,
    selfAttention(block, mixer, mask, attend),
    x,
    null,
  );
  const [both] = attentionPart(
    forward,
    layer,
    stack,
    {
      facts: cross,
      module: block.child('encoder_attn'),
      norm: block.child('encoder_attn_layer_norm'),
      source: encoded,
      mask: null,
      attend,
    },
    own,
    weights,
  );
  // The first sum's name was `residual`, which now means the second.
  release(own);
  return feedForwardPart(block, layer, feedForward, stack, both);
}

const selfAttention = (
  block: Module,
  facts: SoftmaxAttention,
  mask: Tensor | null,
  attend: Attend,
): Attended => ({
  facts,
  module: block.child('self_attn'),
  norm: block.child('self_attn_layer_norm'),
  source: null,
  mask,
  attend,
});

/**
 * Attention, dropout, the sum with what went in, and the norm in front or behind: the output, held, and eager attention's weights,
 * whose one name `earlierWeights` loses.
 */
function attentionPart(
  forward: Forward,
  { placement }: Layer,
  stack: Stack,
  attended: Attended,
  x: Tensor,
  earlierWeights: Tensor | null,
): [Tensor, Tensor | null] {
  const { residual } = stack.dropout;
  const { norm } = attended;
  const input = placement === 'pre' ? hold(layerNorm(norm, x)) : x;
  const [output, weights = null] = holdAll(attention(forward, attended, input));
  if (input !== x) release(input);
  if (earlierWeights !== null) release(earlierWeights);
  let hidden = hold(dropout(last(output), residual));
  hidden = hold(add(x, last(hidden)));
  return [placement === 'pre' ? hidden : hold(layerNorm(norm, last(hidden))), weights];
}

function attention(
  forward: Forward,
  { attend, facts, mask, module, source }: Attended,
  x: Tensor,
): AttentionOutputs {
  return forward.tape.call(module.place, [], (): AttentionOutputs => {
    const [joined, ...weights] = holdAll(attend(forward, module, facts, x, source ?? x, mask));
    return [linear(module.child('out_proj'), last(joined)), ...weights];
  });
}

function feedForwardPart(block: Module, { placement }: Layer, mlp: Mlp, stack: Stack, x: Tensor): Tensor {
  const norm = block.child('final_layer_norm');
  const { activation, residual } = stack.dropout;
  const input = placement === 'pre' ? hold(layerNorm(norm, x)) : x;
  let hidden = hold(act(mlp.activation, linear(block.child('fc1'), input)));
  if (input !== x) release(input);
  hidden = hold(dropout(last(hidden), activation));
  hidden = hold(linear(block.child('fc2'), last(hidden)));
  hidden = hold(dropout(last(hidden), residual));
  const sum = add(x, last(hidden));
  return placement === 'pre' ? sum : layerNorm(norm, last(hold(sum)));
}
