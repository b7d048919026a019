/** What decoders before llama have in common around their blocks: tables, blocks that may hand on their weights, norm, head. */
import { add, dropout } from '../../../memory/operations/elementwise';
import { embedding } from '../../../memory/operations/embedding';
import { normalize } from '../../../memory/operations/norms';
import type { Module } from '../../../memory/tape/module';
import { hold, last, release } from '../../../memory/tape/tape';
import type { Tensor } from '../../../memory/tape/tensor';
import type { Layer, Stack } from '../../../model/architecture';
import { type FamilyForward, type Forward, requireInputGradient, runBlock } from '../../forward';
import { headLoss } from './causalDecoder';
import { decoderStack } from './expected';
import { heldMask, positionIds } from './positions';

export interface GptBlockContext {
  readonly forward: Forward;
  readonly stack: Stack;
  readonly block: Module;
  readonly layer: Layer;
  /** What the blocks share, in the order in which `prepare` gave it. */
  readonly shared: readonly (Tensor | null)[];
}

/** The block's output, and attention's weights where its code returns them: they stay until the next block has returned. */
type GptBlock = (context: GptBlockContext, x: Tensor) => readonly Tensor[];

export interface GptDecoder {
  readonly names: { readonly embedding: string; readonly layers: string; readonly norm: string };
  /** Hidden states of the first block, and what the blocks share; it runs in the model's own call, so what it holds stays. */
  readonly prepare: (
    forward: Forward,
    model: Module,
    stack: Stack,
    tokens: Tensor,
  ) => { readonly hidden: Tensor; readonly shared: readonly (Tensor | null)[] };
  readonly block: GptBlock;
}

/** The names that most of these decoders have. */
export const gptNames = { embedding: 'wte', layers: 'h', norm: 'ln_f' };

/**
 * The loss of a decoder under `transformer`: `GPTNeoForCausalLM.forward` and its like, with labels.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/gpt_neo/modeling_gpt_neo.py#L518
 */
export const gptDecoderLoss =
  (decoder: GptDecoder): FamilyForward =>
  (forward) => {
    const { tape, root, architecture } = forward;
    const stack = decoderStack(architecture);
    return tape.frame([], () => {
      const hidden = hold(gptModel(forward, root.at(stack.path), stack, decoder));
      return headLoss(forward, 'lm_head', hidden);
    });
  };

function gptModel(forward: Forward, model: Module, stack: Stack, decoder: GptDecoder): Tensor {
  const { tape, batch, sequence } = forward;
  const { names } = decoder;
  return tape.call(model.place, [], () => {
    const tokens = hold(embedding(model.child(names.embedding), [batch, sequence], null));
    requireInputGradient(forward, tokens);
    const prepared = decoder.prepare(forward, model, stack, tokens);
    let hidden = prepared.hidden;
    let returned: readonly Tensor[] = [];
    stack.layers.forEach((layer, index) => {
      const block = model.child(names.layers).child(String(index));
      const input = hidden === tokens ? hidden : last(hidden);
      const outputs = runBlock(forward, block, input, prepared.shared, (x, shared) =>
        decoder.block({ forward, stack, block, layer, shared }, x),
      );
      for (const output of outputs) hold(output);
      for (const weights of returned.slice(1)) release(weights);
      returned = outputs;
      const [output] = outputs;
      if (output !== undefined) hidden = output;
    });
    if (stack.finalNorm === null) return hidden;
    // Where blocks return several tensors, the last of them keep their name.
    const final = returned.length > 1 ? hidden : last(hidden);
    return normalize(model.child(names.norm), final, stack.finalNorm);
  });
}

/**
 * Positions, mask, and learned positions [1, sequence, hidden] added to the tokens: what GPT-Neo and GPT-BigCode prepare.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/gpt_neo/modeling_gpt_neo.py#L398
 */
export const learnedPositions =
  (alwaysEager: boolean): GptDecoder['prepare'] =>
  (forward, model, stack, tokens) => {
    const ids = positionIds(forward);
    const mask = heldMask(forward, alwaysEager || forward.attention === 'eager');
    const positions = hold(embedding(model.child('wpe'), [1, forward.sequence], ids));
    const sum = hold(add(tokens, positions));
    return { hidden: hold(dropout(last(sum), stack.dropout.embedding)), shared: [mask, ids] };
  };
