/** What decoders with rotary positions have in common around their blocks: embedding, masks, tables, final norm, head, loss. */
import type { Layer, Stack } from '../../../model/architecture';
import { activationKeepingOutput, dropout, scale } from '../../operations/elementwise';
import { embedding } from '../../operations/embedding';
import { linear } from '../../operations/linear';
import { causalLoss } from '../../operations/loss';
import { normalize } from '../../operations/norms';
import type { Module } from '../../tape/module';
import { hold, last, release } from '../../tape/tape';
import { FP32, INT64, type Tensor } from '../../tape/tensor';
import { type Forward, requireInputGradient, runBlock } from '../context';
import { anyHeadLoss } from './anyHead';
import { causalMask, slidingMask, writtenCausalMask } from './masks';
import { complexRotaryTable, type RotaryTables, rotaryTables, rotaryTablesAnew, tablesOf } from './rotary';

/** What a block gets beside its input. */
export interface BlockContext {
  readonly forward: Forward;
  readonly stack: Stack;
  readonly block: Module;
  readonly layer: Layer;
  readonly tables: RotaryTables;
  readonly mask: Tensor | null;
}

export type DecoderBlock = (context: BlockContext, x: Tensor) => Tensor;

/** Names of the modules around the blocks, where they differ from llama's. */
export interface DecoderNames {
  readonly model: string;
  readonly embedding: string;
  readonly layers: string;
  readonly norm: string;
  readonly head: string;
}

export const llamaNames: DecoderNames = {
  model: 'model',
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

export const llamaDecoderCode: DecoderCode = {
  masks: 'as-used',
  tables: 'hidden-type',
  embeddingScale: 'in-module',
  tablesFor: 'all-layers',
};

/** The loss of a decoder with rotary positions whose blocks are `block`. */
export function causalDecoderLoss(
  forward: Forward,
  block: DecoderBlock,
  names: DecoderNames = llamaNames,
  code: DecoderCode = llamaDecoderCode,
): Tensor {
  const { tape, root } = forward;
  const stack = decoderStack(forward);
  return tape.frame([], () => {
    const model = baseModule(root, names.model);
    const hidden = hold(decoderModel(forward, model, stack, block, names, code));
    return headLoss(forward, names.head, hidden);
  });
}

/** The base module under its name in classes with a head; a base class is that module itself. */
export const baseModule = (root: Module, name: string): Module => (root.has(name) ? root.child(name) : root);

/** Logits of a language model's head and their next-token loss, counted as logits; classes with another head have its loss. */
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

export function decoderStack(forward: Forward): Stack {
  const stack = forward.architecture.stacks.find(({ role }) => role === 'decoder');
  if (stack === undefined) throw new Error('A causal model has a decoder.');
  return stack;
}

function decoderModel(
  forward: Forward,
  model: Module,
  stack: Stack,
  block: DecoderBlock,
  names: DecoderNames,
  code: DecoderCode,
): Tensor {
  const { tape, sequence } = forward;
  return tape.call(model.place, [], () => {
    let embedded = hold(embedTokens(forward, model.child(names.embedding), stack, code.embeddingScale));
    const range = tape.create([sequence], INT64);
    const positions = hold(tape.create([1, sequence], INT64));
    tape.release(range);
    const masks = decoderMasks(forward, stack, code.masks);
    if (code.embeddingScale === 'after-masks') embedded = hold(scale(last(embedded)));
    const rotaryDim = stack.positions.kind === 'rope' ? stack.positions.rotaryDim : 0;
    const tableBytes = code.tables === 'fp32' ? FP32 : embedded.elementBytes;
    const heldTables = (): RotaryTables => {
      if (code.tables === 'complex') {
        const table = hold(complexRotaryTable(tape, sequence, rotaryDim, forward.bufferBytes));
        return { cos: table, sin: table };
      }
      const made =
        code.tables === 'anew'
          ? rotaryTablesAnew(tape, sequence, rotaryDim, tableBytes)
          : rotaryTables(
              tape,
              sequence,
              rotaryDim,
              forward.bufferBytes,
              tableBytes,
              code.tables === 'single' ? 'single' : 'doubled',
            );
      return { cos: hold(made.cos), sin: hold(made.sin) };
    };
    const slides = ({ mixer }: Layer): boolean => mixer.kind === 'attention' && mixer.window !== null;
    const kinds = new Set(code.tablesFor === 'each-kind' ? stack.layers.map(slides) : [false]);
    const tablesOfKind = new Map([...kinds].map((kind) => [kind, heldTables()]));
    let hidden = hold(dropout(embedded, stack.dropout.embedding));
    stack.layers.forEach((layer, index) => {
      const module = model.child(names.layers).child(String(index));
      const window = layer.mixer.kind === 'attention' ? layer.mixer.window : null;
      const mask = window === null ? masks.full : masks.sliding;
      const tables = tablesOfKind.get(kinds.size > 1 ? slides(layer) : [...kinds][0] === true);
      if (tables === undefined) throw new Error('Every kind of layer has its tables.');
      const input = hidden === embedded ? hidden : last(hidden);
      const closedOver = [tables.cos, tables.sin, mask, positions];
      hidden = hold(
        runBlock(forward, module, input, closedOver, (x, [cos, sin, causal]) =>
          block(
            { forward, stack, block: module, layer, tables: tablesOf(cos, sin), mask: causal ?? null },
            x,
          ),
        ),
      );
    });
    return stack.finalNorm === null
      ? hidden
      : normalize(model.child(names.norm), last(hidden), stack.finalNorm);
  });
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

/** `tokens * scale`, a buffer that is cast to the table's type where FSDP gathers that in another one; the product keeps it. */
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

/** A mask for each kind of layer that the stack has; null where the kernel knows causality by itself. */
function decoderMasks(
  { tape, batch, sequence, modelBytes, attention }: Forward,
  { layers, positions }: Stack,
  made: DecoderCode['masks'],
): { readonly full: Tensor | null; readonly sliding: Tensor | null } {
  const eager = attention === 'eager';
  const windows = layers.map(({ mixer }) => (mixer.kind === 'attention' ? mixer.window : null));
  const window = windows.find((size) => size !== null) ?? (made === 'and-empty-window' ? 0 : null);
  const wanted = made !== 'as-used' || windows.includes(null);
  const build = made === 'written' ? writtenCausalMask : causalMask;
  let full = wanted ? build(tape, batch, sequence, modelBytes, eager) : null;
  if (made === 'written' && positions.kind === 'alibi' && full !== null) {
    // Falcon joins ALiBi and the mask into scores for every head.
    const [heads] = layers.map(({ mixer }) => (mixer.kind === 'attention' ? mixer.heads : 1));
    hold(full);
    const joined = tape.create([batch, heads ?? 1, sequence, sequence], modelBytes);
    release(full);
    full = joined;
  }
  const sliding = window === null ? null : slidingMask(tape, batch, sequence, window, modelBytes, eager);
  if (full !== null) hold(full);
  if (sliding !== null) hold(sliding);
  return { full, sliding };
}
