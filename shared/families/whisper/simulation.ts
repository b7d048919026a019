/**
 * Whisper: two convolutions over the spectrogram, an encoder, and a decoder of the transcript; queries are scaled before they
 * are split into heads, and query, key and value are copied into the heads' order.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/whisper/modeling_whisper.py
 */
import { convolution } from '../../memory/operations/convolution';
import { activation, add, dropout, scale } from '../../memory/operations/elementwise';
import { embedding, gatherRows } from '../../memory/operations/embedding';
import { copy, copyForward } from '../../memory/operations/layout';
import { linear } from '../../memory/operations/linear';
import { crossEntropy } from '../../memory/operations/loss';
import { layerNorm } from '../../memory/operations/norms';
import type { Module } from '../../memory/tape/module';
import { hold, holdAll, last, release } from '../../memory/tape/tape';
import { INT64, type Tensor } from '../../memory/tape/tensor';
import type { SoftmaxAttention, Stack } from '../../model/architecture';
import { type AttentionOutputs, attendWithWeights, attentionForm } from '../common/simulation/attention';
import { runBlocks } from '../common/simulation/blocks';
import { audioOf, encoderAndDecoder } from '../common/simulation/expected';
import { causalMaskWithoutPadding, packedSequences } from '../common/simulation/masks';
import { decoderLayer, encoderLayer, shiftRight } from '../common/simulation/sequenceToSequence';
import { type Forward, requireInputGradient } from '../forward';

/**
 * `WhisperForConditionalGeneration.forward` with labels: the loss.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/whisper/modeling_whisper.py#L995
 */
export function simulateWhisper(forward: Forward): Tensor {
  const { tape, root, architecture } = forward;
  const [encoder, decoder] = encoderAndDecoder(architecture);
  return tape.frame([], () => {
    const ids = hold(shiftRight(forward));
    const model = root.child('model');
    const outputs = tape.call(model.place, [], (): readonly [Tensor, Tensor] => {
      const encoded = hold(audioEncoder(forward, model.child('encoder'), encoder));
      return [textDecoder(forward, model.child('decoder'), decoder, ids, encoded), encoded];
    });
    const [decoded] = holdAll(outputs);
    return tape.as('logits', () => crossEntropy(hold(linear(root.child('proj_out'), decoded)), null));
  });
}

function audioEncoder(forward: Forward, module: Module, stack: Stack): Tensor {
  const { tape, batch } = forward;
  const { hiddenSize } = stack;
  const { frames, melBins } = audioOf(stack);
  return tape.call(module.place, [], () => {
    let heard = hold(
      activation(
        convolution(module.child('conv1'), {
          inputShape: [batch, melBins, 2 * frames],
          input: null,
          outputShape: [batch, 2 * frames, hiddenSize],
          windows: 'overlapping',
          gradientInOrder: true,
        }),
      ),
    );
    heard = hold(
      activation(
        convolution(module.child('conv2'), {
          inputShape: [batch, hiddenSize, 2 * frames],
          input: last(heard),
          outputShape: [batch, frames, hiddenSize],
          windows: 'striding',
        }),
      ),
    );
    requireInputGradient(forward, heard);
    const range = hold(tape.create([frames], INT64));
    const sum = hold(add(heard, embedding(module.child('embed_positions'), [frames], range)));
    const embedded = hold(dropout(last(sum), stack.dropout.embedding));
    const run = {
      blocks: module.child('layers'),
      layers: stack.layers,
      hidden: embedded,
      named: 'none',
    } as const;
    const hidden = runBlocks(forward, run, (block, layer, x) =>
      encoderLayer(forward, block, layer, stack, x, attend),
    );
    return layerNorm(module.child('layer_norm'), last(hidden));
  });
}

function textDecoder(forward: Forward, module: Module, stack: Stack, ids: Tensor, encoded: Tensor): Tensor {
  const { tape, batch, sequence, attention } = forward;
  return tape.call(module.place, [], () => {
    const embedded = hold(embedding(module.child('embed_tokens'), [batch, sequence], ids));
    requireInputGradient(forward, embedded);
    const range = tape.create([sequence], INT64);
    const shifted = tape.create([sequence], INT64);
    release(range);
    const indices = hold(tape.create([batch, sequence], INT64));
    release(shifted);
    const table = module.child('embed_positions');
    const positions = hold(
      tape.call(table.place, [], () => gatherRows(table.parameter('weight'), [batch, sequence], indices)),
    );
    const sum = hold(add(embedded, positions));
    const dropped = hold(dropout(last(sum), stack.dropout.embedding));
    packedSequences(forward);
    const mask = attention === 'eager' ? hold(causalMaskWithoutPadding(forward)) : null;
    const { layers } = stack;
    const blocks = module.child('layers');
    const run = { blocks, layers, hidden: dropped, named: 'none', shared: [mask, encoded] } as const;
    const hidden = runBlocks(forward, run, (block, layer, x, [ownMask = null, memory]) =>
      decoderLayer(forward, block, layer, stack, x, ownMask, memory ?? encoded, attend),
    );
    return layerNorm(module.child('layer_norm'), last(hidden));
  });
}

/** `WhisperAttention` without its last product. */
function attend(
  forward: Forward,
  module: Module,
  facts: SoftmaxAttention,
  x: Tensor,
  source: Tensor,
  mask: Tensor | null,
): AttentionOutputs {
  const { heads, headDim } = facts;
  const form = attentionForm(forward, facts, x.elementBytes, mask !== null);
  const inHeads = (flat: Tensor): Tensor => {
    const [batch = 1, positions = 1] = flat.shape;
    const shape = [batch, heads, positions, headDim];
    // The efficient kernel's gradients come with positions before heads, as the products read them.
    return hold(form === 'efficient' ? copyForward(flat, shape) : copy(flat, shape));
  };
  const query = inHeads(scale(linear(module.child('q_proj'), x)));
  const key = inHeads(linear(module.child('k_proj'), source));
  const value = inHeads(linear(module.child('v_proj'), source));
  return attendWithWeights(form, facts, { query, key, value, mask }, 'uncast');
}
