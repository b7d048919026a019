/** What decoders with rotary positions have in common around their blocks: embedding, masks, tables, final norm, head, loss. */
import { activationKeepingOutput, dropout, scale } from '../../../memory/operations/elementwise';
import { embedding } from '../../../memory/operations/embedding';
import { linear } from '../../../memory/operations/linear';
import { causalLoss } from '../../../memory/operations/loss';
import { normalize } from '../../../memory/operations/norms';
import type { Module } from '../../../memory/tape/module';
import { hold, last, release } from '../../../memory/tape/tape';
import { HALF, type Tensor } from '../../../memory/tape/tensor';
import type { Layer, Stack } from '../../../model/architecture';
import { type Forward, requireInputGradient, runBlock } from '../../forward';
import { anyHeadLoss } from '../../unlisted/headByFacts';
import { alibiOfTokens, maskWithAlibi } from './alibi';
import { heldTables, windowOf } from './decoderTables';
import { decoderStack, headsOf } from './expected';
import { causalMask, slidingMask, writtenCausalMask } from './masks';
import { positionIds } from './positions';
import { type RotaryTables, givenTables } from './rotary';

/** What a block gets beside its input. */
export interface BlockContext {
  readonly forward: Forward;
  readonly stack: Stack;
  readonly block: Module;
  readonly layer: Layer;
  readonly tables: RotaryTables;
  readonly mask: Tensor | null;
  /** ALiBi [batch · heads, 1, sequence] of models that have it in place of positions; it is part of the mask, too. */
  readonly alibi: Tensor | null;
}

/** One block over x [batch, positions, hidden]. */
export type DecoderBlock = (context: BlockContext, x: Tensor) => Tensor;

/** Names of the modules around the blocks, where they differ from llama's. */
export interface DecoderNames {
  readonly embedding: string;
  readonly layers: string;
  readonly norm: string;
  readonly head: string;
}

/** llama's own names. */
export const llamaNames: DecoderNames = {
  embedding: 'embed_tokens',
  layers: 'layers',
  norm: 'norm',
  head: 'lm_head',
};

/** Where the code around the blocks differs from llama's. */
export interface DecoderCode {
  /**
   * Masks for the kinds of layers that there are, one for full attention besides, both whatever there is, a written one (Falcon),
   * or both where a model without windows says that they are 0 tokens wide, and so gets a mask that no layer uses (Qwen2-MoE).
   */
  readonly masks: 'as-used' | 'and-full' | 'and-both' | 'and-empty-window' | 'written';
  /**
   * Rotary tables in the hidden states' type, left in fp32 (OLMo), as one of complex numbers (DeepSeek V2), with frequencies
   * that each forward brings to the card anew (PhiMoE), or half as wide as what they turn (gpt-oss).
   */
  readonly tables: 'hidden-type' | 'fp32' | 'complex' | 'anew' | 'single';
  /** Where embeddings are multiplied: in the table's module (Gemma), after it (Granite), or after the masks (Granite MoE). */
  readonly embeddingScale: 'in-module' | 'after' | 'after-masks';
  /** One pair of tables, or one for each kind of layer (Gemma 3). */
  readonly tablesFor: 'all-layers' | 'each-kind';
}

/** What llama's code does. */
export const llamaDecoderCode: DecoderCode = {
  masks: 'as-used',
  tables: 'hidden-type',
  embeddingScale: 'in-module',
  tablesFor: 'all-layers',
};

/**
 * The loss of a decoder with rotary positions whose blocks are `block`: `LlamaForCausalLM.forward` with labels.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/llama/modeling_llama.py#L421
 */
export function causalDecoderLoss(
  forward: Forward,
  block: DecoderBlock,
  names: DecoderNames = llamaNames,
  code: DecoderCode = llamaDecoderCode,
): Tensor {
  const { tape, root, architecture } = forward;
  const stack = decoderStack(architecture);
  return tape.frame([], () => {
    const decoder = { forward, model: root.at(stack.path), stack, block, names, code };
    const hidden = hold(decoderModel(decoder));
    return headLoss(forward, names.head, hidden);
  });
}

/**
 * Logits [batch, positions, vocabulary] of a language model's head and their next-token loss, counted as logits; classes with another head
 * have its loss.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/loss/loss_utils.py#L49
 */
export function headLoss(forward: Forward, name: string, hidden: Tensor): Tensor {
  const { tape, architecture, root } = forward;
  return tape.as('logits', () => {
    if (architecture.head.kind !== 'language-model' || !root.has(name)) return anyHeadLoss(forward, hidden);
    const { scale: factor, softCap } = architecture.head;
    let logits = hold(linear(root.child(name), hidden));
    if (factor !== null) logits = hold(scale(last(logits)));
    if (softCap !== null) {
      // `logits / cap`, `tanh`, `* cap`, each under the same name.
      for (const step of [scale, activationKeepingOutput, scale]) logits = hold(step(last(logits)));
    }
    return causalLoss(tape, logits);
  });
}

/** A decoder and the code that simulates it. */
interface Decoder {
  readonly forward: Forward;
  readonly model: Module;
  readonly stack: Stack;
  readonly block: DecoderBlock;
  readonly names: DecoderNames;
  readonly code: DecoderCode;
}

/** What all blocks share, each under a name in the model's call. */
interface Shared {
  readonly masks: DecoderMasks;
  readonly alibi: Tensor | null;
  readonly positions: Tensor;
  readonly tablesOf: (layer: Layer) => RotaryTables;
}

/**
 * `LlamaModel.forward`: [batch, positions, hidden] after the last norm.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/llama/modeling_llama.py#L347
 */
function decoderModel(decoder: Decoder): Tensor {
  const { code, forward, model, names, stack } = decoder;
  return forward.tape.call(model.place, [], () => {
    let embedded = hold(embedTokens(forward, model.child(names.embedding), stack, code.embeddingScale));
    const alibi =
      stack.positions.kind === 'alibi'
        ? hold(alibiOfTokens(forward, headsOf(stack), HALF, embedded.elementBytes))
        : null;
    const positions = positionIds(forward);
    const masks = decoderMasks(forward, stack, code.masks, alibi);
    if (code.embeddingScale === 'after-masks') embedded = hold(scale(last(embedded)));
    const shared = {
      masks,
      alibi,
      positions,
      tablesOf: heldTables(forward, stack, code, embedded.elementBytes),
    };
    const hidden = runDecoderBlocks(decoder, shared, embedded);
    return stack.finalNorm === null
      ? hidden
      : normalize(model.child(names.norm), last(hidden), stack.finalNorm);
  });
}

/** All blocks; the embeddings keep their name beside the first one's input where dropout makes no other of them. */
function runDecoderBlocks(
  { block, forward, model, names, stack }: Decoder,
  { alibi, masks, positions, tablesOf }: Shared,
  embedded: Tensor,
): Tensor {
  let hidden = hold(dropout(embedded, stack.dropout.embedding));
  stack.layers.forEach((layer, index) => {
    const module = model.child(names.layers).child(String(index));
    const { cos, sin } = tablesOf(layer);
    const mask = windowOf(layer) === null ? masks.full : masks.sliding;
    const input = hidden === embedded ? hidden : last(hidden);
    hidden = hold(
      runBlock(forward, module, input, [cos, sin, mask, positions, alibi], (x, given) => {
        const [ownCos, ownSin, ownMask = null, , ownAlibi = null] = given;
        const tables = givenTables(ownCos, ownSin);
        return block({ forward, stack, block: module, layer, tables, mask: ownMask, alibi: ownAlibi }, x);
      }),
    );
  });
  return hidden;
}

/** Token embeddings, multiplied where the model does; an adapter's base lets gradients begin at what the table gives. */
function embedTokens(
  forward: Forward,
  table: Module,
  { inputs }: Stack,
  code: DecoderCode['embeddingScale'],
): Tensor {
  const { tape, batch, sequence } = forward;
  const factor = inputs.kind === 'tokens' ? inputs.scale : null;
  return tape.frame([], () => {
    const tokens = embedding(table, [batch, sequence], null);
    const given = hold(factor !== null && code === 'in-module' ? scaledInModule(forward, tokens) : tokens);
    requireInputGradient(forward, given);
    return factor !== null && code === 'after' ? scale(last(given)) : given;
  });
}

/**
 * `tokens * scale`, a buffer that is cast to the table's type where FSDP gathers that in another one; the product keeps it.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/gemma3/modeling_gemma3.py#L106
 */
function scaledInModule({ bufferBytes, tape }: Forward, tokens: Tensor): Tensor {
  const { elementBytes, shape } = tokens;
  if (bufferBytes === elementBytes) return scale(tokens);
  const factor = tape.create([1], elementBytes);
  const product = tape.apply([tokens], [factor], shape, elementBytes, () => [
    tape.create(shape, elementBytes),
  ]);
  tape.consume(factor);
  return product;
}

interface DecoderMasks {
  readonly full: Tensor | null;
  readonly sliding: Tensor | null;
}

/** A mask for each kind of layer that the stack has, held; null where the kernel knows causality by itself. */
function decoderMasks(
  forward: Forward,
  stack: Stack,
  made: DecoderCode['masks'],
  alibi: Tensor | null,
): DecoderMasks {
  const eager = forward.attention === 'eager';
  const windows = stack.layers.map(windowOf);
  const window = windows.find((size) => size !== null) ?? (made === 'and-empty-window' ? 0 : null);
  const wanted = made !== 'as-used' || windows.includes(null);
  const build = made === 'written' ? writtenCausalMask : causalMask;
  let full = wanted ? build(forward, eager) : null;
  if (full !== null && alibi !== null) {
    const joined = maskWithAlibi(hold(full), alibi, headsOf(stack));
    release(full);
    full = joined;
  }
  const sliding = window === null ? null : slidingMask(forward, window, eager);
  if (full !== null) hold(full);
  if (sliding !== null) hold(sliding);
  return { full, sliding };
}
