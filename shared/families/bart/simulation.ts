/**
 * BART, mBART, Pegasus and Marian: an encoder and a decoder of blocks with biases everywhere. They differ in where the norms
 * stand, in norms around the stacks, in whose positions are trained, and in how labels become the decoder's ids.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/bart/modeling_bart.py
 */
import { add, addBuffer, dropout, scale } from '../../memory/operations/elementwise';
import { embedding } from '../../memory/operations/embedding';
import { linear } from '../../memory/operations/linear';
import { crossEntropy } from '../../memory/operations/loss';
import { layerNorm } from '../../memory/operations/norms';
import { MissingPart, type Module } from '../../memory/tape/module';
import { hold, holdAll, last, release } from '../../memory/tape/tape';
import { FP32, INT64, type Tensor } from '../../memory/tape/tensor';
import type { Stack } from '../../model/architecture';
import { runBlocks } from '../common/simulation/blocks';
import { encoderAndDecoder } from '../common/simulation/expected';
import { heldMask } from '../common/simulation/positions';
import {
  decoderLayer,
  encoderLayer,
  shiftRight,
  shiftRightWrapping,
} from '../common/simulation/sequenceToSequence';
import { type Forward, requireInputGradient } from '../forward';

/** What a model type's decoder does with names that it may use again. */
interface DecoderNames {
  /** The padding mask of ones keeps its name beside the causal mask's. */
  readonly keepsPadding: boolean;
  /** The positions' indices keep their name beside their rows'. */
  readonly keepsIndices: boolean;
}

const decoderNames: Readonly<Record<string, DecoderNames>> = {
  bart: { keepsPadding: false, keepsIndices: true },
  mbart: { keepsPadding: true, keepsIndices: false },
  pegasus: { keepsPadding: true, keepsIndices: true },
  marian: { keepsPadding: true, keepsIndices: false },
};

/** Whether this code is the model type's; others are built like BART but were not compared with a recorded step. */
export const isBartCode = (modelType: string | null): boolean =>
  modelType !== null && Object.hasOwn(decoderNames, modelType);

/**
 * `BartForConditionalGeneration.forward` with labels: the loss.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/bart/modeling_bart.py#L801
 */
export function simulateBart(forward: Forward): Tensor {
  const { tape, root, architecture, modelBytes } = forward;
  const [encoder, decoder] = encoderAndDecoder(architecture);
  const names = decoderNames[architecture.modelType ?? ''];
  if (names === undefined) throw new MissingPart('The model type has no code of its own.');
  return tape.frame([], () => {
    const ids = hold(architecture.modelType === 'mbart' ? shiftRightWrapping(forward) : shiftRight(forward));
    const model = root.child('model');
    const outputs = tape.call(model.place, [], (): readonly [Tensor, Tensor] => {
      const encoded = hold(encoderStack(forward, model.child('encoder'), encoder));
      return [decoderStack(forward, model.child('decoder'), decoder, names, ids, encoded), encoded];
    });
    const [decoded] = holdAll(outputs);
    return tape.as('logits', () =>
      crossEntropy(hold(addBuffer(linear(root.child('lm_head'), decoded), modelBytes)), null),
    );
  });
}

function encoderStack(forward: Forward, module: Module, stack: Stack): Tensor {
  const { tape, batch, sequence } = forward;
  return tape.call(module.place, [], () => {
    const embedded = hold(tokens(forward, module.child('embed_tokens'), null));
    requireInputGradient(forward, embedded);
    const table = module.child('embed_positions');
    const rows = hold(
      tape.call(table.place, [], () => {
        const range = hold(tape.create([sequence], INT64));
        // BART's table begins with two rows that are no positions.
        return stack.positions.kind === 'learned'
          ? embedding(table, [batch, sequence], tape.create([batch, sequence], INT64))
          : embedding(table, [sequence], table.parameter('weight').requiresGradient ? range : null);
      }),
    );
    const first = firstHidden(module, stack, embedded, rows);
    const run = {
      blocks: module.child('layers'),
      layers: stack.layers,
      hidden: first,
      named: 'none',
    } as const;
    const hidden = runBlocks(forward, run, (block, layer, x) =>
      encoderLayer(forward, block, layer, stack, x),
    );
    return stack.finalNorm === null ? hidden : layerNorm(module.child('layer_norm'), last(hidden));
  });
}

function decoderStack(
  forward: Forward,
  module: Module,
  stack: Stack,
  names: DecoderNames,
  ids: Tensor,
  encoded: Tensor,
): Tensor {
  const { tape, batch, sequence, attention } = forward;
  return tape.call(module.place, [], () => {
    const embedded = hold(tokens(forward, module.child('embed_tokens'), ids));
    requireInputGradient(forward, embedded);
    const range = tape.create([sequence], INT64);
    const indices = hold(tape.create([sequence], INT64));
    release(range);
    const padding = hold(tape.create([batch, sequence], FP32));
    const mask = heldMask(forward, attention === 'eager');
    if (!names.keepsPadding) release(padding);
    const table = module.child('embed_positions');
    const rows = hold(
      tape.call(table.place, [], () =>
        stack.positions.kind === 'learned'
          ? embedding(table, [1, sequence], tape.create([1, sequence], INT64))
          : embedding(table, [sequence], table.parameter('weight').requiresGradient ? indices : null),
      ),
    );
    if (!names.keepsIndices) release(indices);
    const first = firstHidden(module, stack, embedded, rows);
    const { layers } = stack;
    const blocks = module.child('layers');
    const run = { blocks, layers, hidden: first, named: 'none', shared: [mask, encoded] } as const;
    const hidden = runBlocks(forward, run, (block, layer, x, [ownMask = null, memory]) =>
      decoderLayer(forward, block, layer, stack, x, ownMask, memory ?? encoded),
    );
    return stack.finalNorm === null ? hidden : layerNorm(module.child('layer_norm'), last(hidden));
  });
}

/** Rows of the token table times a constant, which may be 1. */
function tokens({ batch, sequence }: Forward, table: Module, ids: Tensor | null): Tensor {
  return scale(embedding(table, [batch, sequence], ids));
}

/** Tokens and positions, the norm that BART and mBART have here, and dropout. */
function firstHidden(module: Module, stack: Stack, embedded: Tensor, rows: Tensor): Tensor {
  let hidden = hold(add(embedded, rows));
  if (module.has('layernorm_embedding'))
    hidden = hold(layerNorm(module.child('layernorm_embedding'), last(hidden)));
  return hold(dropout(last(hidden), stack.dropout.embedding));
}
