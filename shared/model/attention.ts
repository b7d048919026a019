/** Attention: its facts from a config, and its modules. */
import type { LatentAttention, Norm, SoftmaxAttention } from './architecture';
import type { ConfigFields } from './configFields';
import type { ModuleNode } from './modules';
import { group, leaf, linear, list, norm, tensor } from './nodes';

type Bias = SoftmaxAttention['bias'];

/** No bias on any projection. */
export const noBias: Bias = { query: false, key: false, value: false, output: false };
/** Biases on all four projections. */
export const allBias: Bias = { query: true, key: true, value: true, output: true };
/** Qwen2's: on query, key and value only. */
export const inputBias: Bias = { ...allBias, output: false };

/**
 * Attention of the usual fields. `num_key_value_heads` absent or null: as many as heads. `head_dim` absent or null:
 * hidden size over heads, rounded down as transformers does.
 */
export function softmaxAttention(
  fields: ConfigFields,
  hiddenSize: number,
  facts: Partial<SoftmaxAttention> = {},
): SoftmaxAttention {
  const heads = facts.heads ?? fields.size('num_attention_heads');
  const headDim = facts.headDim ?? fields.sizeOr('head_dim', Math.max(1, Math.floor(hiddenSize / heads)));
  return {
    kind: 'attention',
    heads,
    keyValueHeads: fields.sizeOr('num_key_value_heads', heads),
    headDim,
    valueHeadDim: headDim,
    causal: true,
    window: null,
    bias: noBias,
    projection: 'separate',
    queryKeyNorm: null,
    dropout: fields.number('attention_dropout', 0),
    scoreSoftCap: null,
    sinks: false,
    outputGate: false,
    positions: true,
    ...facts,
  };
}

/** Names of the modules of an attention, and the order in which they are registered. */
export interface AttentionNames {
  readonly module: string;
  readonly query: string;
  readonly key: string;
  readonly value: string;
  readonly output: string;
  readonly fused: string;
  readonly queryNorm: string;
  readonly keyNorm: string;
  readonly order: readonly ('query' | 'key' | 'value' | 'output' | 'fused' | 'queryNorm' | 'keyNorm')[];
}

/** llama's names and order. */
export const llamaAttention: AttentionNames = {
  module: 'self_attn',
  query: 'q_proj',
  key: 'k_proj',
  value: 'v_proj',
  output: 'o_proj',
  fused: 'qkv_proj',
  queryNorm: 'q_norm',
  keyNorm: 'k_norm',
  order: ['query', 'key', 'value', 'fused', 'output', 'queryNorm', 'keyNorm'],
};

/** The module of an attention; `inputs` is the width that keys and values are made from, for cross attention. */
export function attentionNode(
  attention: SoftmaxAttention,
  hiddenSize: number,
  names: AttentionNames = llamaAttention,
  inputs: number = hiddenSize,
): ModuleNode {
  const { bias } = attention;
  const queries = attention.heads * attention.headDim;
  const keys = attention.keyValueHeads * attention.headDim;
  const values = attention.keyValueHeads * attention.valueHeadDim;
  const separate = attention.projection === 'separate';
  const child = (part: AttentionNames['order'][number]): ModuleNode | null => {
    switch (part) {
      case 'query':
        return separate
          ? linear(names.query, hiddenSize, attention.outputGate ? 2 * queries : queries, bias.query)
          : null;
      case 'key':
        return separate ? linear(names.key, inputs, keys, bias.key) : null;
      case 'value':
        return separate ? linear(names.value, inputs, values, bias.value) : null;
      case 'fused':
        return separate ? null : linear(names.fused, hiddenSize, queries + keys + values, bias.query);
      case 'output':
        return linear(names.output, attention.heads * attention.valueHeadDim, hiddenSize, bias.output);
      case 'queryNorm':
        return headNorm(names.queryNorm, attention, attention.heads);
      case 'keyNorm':
        return headNorm(names.keyNorm, attention, attention.keyValueHeads);
    }
  };
  return group(
    names.module,
    names.order.map(child),
    attention.sinks ? [tensor('sinks', attention.heads)] : [],
  );
}

function headNorm(name: string, attention: SoftmaxAttention, heads: number): ModuleNode | null {
  if (attention.queryKeyNorm === null) return null;
  const { over, norm: normFacts } = attention.queryKeyNorm;
  switch (over) {
    case 'head':
      return norm(name, attention.headDim, normFacts);
    case 'all':
      return norm(name, heads * attention.headDim, normFacts);
    case 'each-head':
      // Cohere: a weight of its own for each head.
      return leaf(name, 'norm', [tensor('weight', heads, attention.headDim)]);
    case 'list':
      // StableLM 2: a module for each head.
      return group(name, [
        list(
          'norms',
          Array.from({ length: heads }, () => norm('', attention.headDim, normFacts)),
        ),
      ]);
  }
}

/** The facts of multi-head latent attention; `q_lora_rank` null: the query is projected in one step. */
export function latentAttention(fields: ConfigFields, window: number | null = null): LatentAttention {
  return {
    kind: 'latent',
    heads: fields.size('num_attention_heads'),
    queryRank: fields.optionalSize('q_lora_rank'),
    keyValueRank: fields.size('kv_lora_rank'),
    plainHeadDim: fields.size('qk_nope_head_dim'),
    rotaryHeadDim: fields.size('qk_rope_head_dim'),
    valueHeadDim: fields.size('v_head_dim'),
    bias: fields.flag('attention_bias', false),
    dropout: fields.number('attention_dropout', 0),
    window,
  };
}

/** The module of a latent attention, as in DeepSeek V2 and V3; `extra` comes after the output projection. */
export function latentNode(
  attention: LatentAttention,
  hiddenSize: number,
  normFacts: Norm,
  extra: readonly ModuleNode[] = [],
): ModuleNode {
  const { heads, queryRank, keyValueRank, plainHeadDim, rotaryHeadDim, valueHeadDim, bias } = attention;
  const queries = heads * (plainHeadDim + rotaryHeadDim);
  const query =
    queryRank === null
      ? [linear('q_proj', hiddenSize, queries)]
      : [
          linear('q_a_proj', hiddenSize, queryRank, bias),
          norm('q_a_layernorm', queryRank, normFacts),
          linear('q_b_proj', queryRank, queries),
        ];
  return group('self_attn', [
    ...query,
    linear('kv_a_proj_with_mqa', hiddenSize, keyValueRank + rotaryHeadDim, bias),
    norm('kv_a_layernorm', keyValueRank, normFacts),
    linear('kv_b_proj', keyValueRank, heads * (plainHeadDim + valueHeadDim)),
    linear('o_proj', heads * valueHeadDim, hiddenSize, bias),
    ...extra,
  ]);
}
