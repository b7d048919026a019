/**
 * Blocks of models without a forward of their own that are a known block by their modules' names: llama's in the language part of a
 * vision-language model, CLIP's and SigLIP's in its tower.
 */
import type { Module } from '../../memory/tape/module';
import type { Tensor } from '../../memory/tape/tensor';
import type { Layer, Stack } from '../../model/architecture';
import type { DecoderBlock } from '../common/simulation/causalDecoder';
import { decoderAttention, llamaAttentionCode } from '../common/simulation/decoderAttention';
import { decoderBlock, llamaBlockCode } from '../common/simulation/decoderBlock';
import type { RotaryTables } from '../common/simulation/rotary';
import { towerLayer } from '../common/simulation/towerLayer';
import type { Forward } from '../forward';

const plainBlock = decoderBlock(llamaBlockCode);

/** Gemma's norms before and after each branch. */
const sandwichBlock = decoderBlock({
  ...llamaBlockCode,
  attend: decoderAttention({ ...llamaAttentionCode, norms: 'heads-first' }),
  norms: { ...llamaBlockCode.norms, beforeMlp: 'pre_feedforward_layernorm' },
});

/** The block's output where its code is known by its modules; null elsewhere. */
export function knownBlock(
  forward: Forward,
  stack: Stack,
  block: Module,
  layer: Layer,
  tables: RotaryTables | null,
  mask: Tensor | null,
  x: Tensor,
): Tensor | null {
  if (isTowerLayer(block, layer)) return towerLayer(forward, stack, block, layer, x, mask);
  const code = decoderCode(block, layer);
  return code === null || tables === null
    ? null
    : code({ forward, stack, block, layer, tables, mask, alibi: null }, x);
}

const hasAll = (module: Module, names: readonly string[]): boolean => names.every((name) => module.has(name));

const child = (module: Module, name: string, names: readonly string[]): boolean =>
  module.has(name) && hasAll(module.child(name), names);

function isTowerLayer(block: Module, { mixer, feedForward, placement }: Layer): boolean {
  return (
    mixer.kind === 'attention' &&
    feedForward.kind === 'mlp' &&
    placement === 'pre' &&
    hasAll(block, ['layer_norm1', 'layer_norm2']) &&
    child(block, 'self_attn', ['q_proj', 'k_proj', 'v_proj', 'out_proj']) &&
    child(block, 'mlp', ['fc1', 'fc2'])
  );
}

/** llama's block needs its names and softmax attention with positions of its own. */
function decoderCode(block: Module, { mixer, feedForward, placement }: Layer): DecoderBlock | null {
  const isLlama =
    mixer.kind === 'attention' &&
    mixer.projection === 'separate' &&
    !mixer.outputGate &&
    !mixer.sinks &&
    feedForward.kind === 'mlp' &&
    feedForward.gated &&
    child(block, 'self_attn', ['q_proj', 'k_proj', 'v_proj', 'o_proj']) &&
    (mixer.queryKeyNorm === null || child(block, 'self_attn', ['q_norm', 'k_norm'])) &&
    child(block, 'mlp', ['gate_proj', 'up_proj', 'down_proj']) &&
    hasAll(block, ['input_layernorm', 'post_attention_layernorm']);
  if (!isLlama) return null;
  if (placement === 'pre') return plainBlock;
  const isSandwich = hasAll(block, ['pre_feedforward_layernorm', 'post_feedforward_layernorm']);
  return placement === 'sandwich' && isSandwich ? sandwichBlock : null;
}
