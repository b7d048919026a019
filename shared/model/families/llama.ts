/** Dense decoders with llama's block and module names. Sizes and defaults are those of the transformers 5 classes. */
import type { SoftmaxAttention } from '../architecture';
import { allBias, inputBias, llamaAttention, noBias, softmaxAttention } from '../attention';
import type { Backbone } from '../backbone';
import { gatedMlp, llamaMlp } from '../feedForward';
import type { Fields } from '../fields';
import { gemmaNorm, layerNorm, layerNormWithoutParameters, rmsNorm, layerNormWithoutBias } from '../norms';
import { ropePositions } from '../positions';
import { kindsPresent, qwenWindows, slidingWindows, windowPattern } from '../windows';
import { constant, llamaBlock, type LlamaChanges } from './llamaBlock';

/** An attention that differs between layers by its window only. */
export function windowed(
  fields: Fields,
  facts: Partial<SoftmaxAttention>,
  windowOf: (index: number) => number | null,
): (index: number) => SoftmaxAttention {
  const attention = softmaxAttention(fields, fields.size('hidden_size'), facts);
  return (index) => ({ ...attention, window: windowOf(index) });
}

/** Biases on all projections or on none, as the flag `name` says. */
export const biasFlag = (fields: Fields, name: string, fallback = false): SoftmaxAttention['bias'] =>
  fields.flag(name, fallback) ? allBias : noBias;

/** llama: biases only where `attention_bias` or `mlp_bias` says so. */
export function llama(fields: Fields): Backbone {
  return llamaBlock(fields, {
    family: 'llama',
    mixer: windowed(fields, { bias: biasFlag(fields, 'attention_bias') }, constant(null)),
    feedForward: constant(gatedMlp(fields, { bias: fields.flag('mlp_bias', false) })),
  });
}

/** Mistral: llama's block; all layers see a window where `sliding_window` is set. */
export function mistral(fields: Fields): Backbone {
  return llamaBlock(fields, {
    family: 'mistral',
    mixer: windowed(fields, {}, slidingWindows(fields, 1)),
  });
}

/** Qwen2: biases on query, key and value. */
export function qwen2(fields: Fields): Backbone {
  return llamaBlock(fields, {
    family: 'qwen2',
    mixer: windowed(fields, { bias: inputBias }, qwenWindows(fields)),
  });
}

/** Qwen3: each head normed, no biases unless the file says so. */
export function qwen3(fields: Fields): Backbone {
  return llamaBlock(fields, {
    family: 'qwen3',
    mixer: windowed(fields, qwen3Attention(fields), qwenWindows(fields)),
  });
}

/** Qwen3's attention: each head's query and key normed. */
export function qwen3Attention(fields: Fields): Partial<SoftmaxAttention> {
  return {
    bias: biasFlag(fields, 'attention_bias'),
    queryKeyNorm: { over: 'head', norm: rmsNorm },
  };
}

/** Phi-3 and Phi-4: query, key and value from one product, gate and up from another. */
export function phi3(fields: Fields): Backbone {
  return llamaBlock(fields, {
    family: 'phi3',
    mixer: windowed(fields, { projection: 'fused' }, slidingWindows(fields, 1)),
    feedForward: constant(gatedMlp(fields, { fused: true })),
    attention: { ...llamaAttention, order: ['output', 'fused'] },
    dropout: {
      embedding: fields.number('embd_pdrop', 0),
      residual: fields.number('resid_pdrop', 0),
    },
  });
}

/** OLMo: norms without parameters. */
export function olmo(fields: Fields): Backbone {
  return llamaBlock(fields, {
    family: 'olmo',
    norm: { ...layerNormWithoutParameters, fp32: true },
    mixer: windowed(fields, { bias: biasFlag(fields, 'attention_bias') }, constant(null)),
  });
}

/** OLMo 2 and 3: norms on what attention and MLP give, one norm over all query heads and one over all key heads. */
export function olmo2(fields: Fields): Backbone {
  const norm = { ...rmsNorm, fp32: true };
  const windowOf = slidingWindows(fields, 4);
  return llamaBlock(fields, {
    family: 'olmo2',
    norm,
    placement: 'branch',
    norms: ['post_attention_layernorm', 'post_feedforward_layernorm'],
    mixer: windowed(
      fields,
      { bias: biasFlag(fields, 'attention_bias'), queryKeyNorm: { over: 'all', norm } },
      windowOf,
    ),
    rotaryTypes: fields.has('sliding_window') ? kindsPresent(fields.layers(), windowOf) : [''],
  });
}

/** Granite: llama with constants on embeddings and logits. */
export function granite(fields: Fields): Backbone {
  return llamaBlock(fields, {
    family: 'granite',
    mixer: windowed(fields, { bias: biasFlag(fields, 'attention_bias') }, constant(null)),
    feedForward: constant(gatedMlp(fields, { bias: fields.flag('mlp_bias', false) })),
    embeddingScale: fields.number('embedding_multiplier', 1),
    head: { scale: fields.number('logits_scaling', 1) },
  });
}

/**
 * Cohere and Cohere 2: one LayerNorm without bias for both branches, which run side by side. In Cohere 2 the full layers have
 * no positions.
 */
export function cohere(fields: Fields): Backbone {
  const second = fields.text('model_type', '') === 'cohere2';
  const norm = { ...layerNormWithoutBias, fp32: true };
  const windowOf = slidingWindows(fields, windowPattern(fields, 4));
  const mixer = windowed(
    fields,
    {
      bias: biasFlag(fields, 'attention_bias'),
      queryKeyNorm: fields.flag('use_qk_norm', false) ? { over: 'each-head', norm } : null,
    },
    windowOf,
  );
  return llamaBlock(fields, {
    family: second ? 'cohere2' : 'cohere',
    norm,
    placement: 'parallel',
    norms: ['input_layernorm'],
    mixer: (index) => ({ ...mixer(index), positions: !second || windowOf(index) !== null }),
    positions: ropePositions(fields, headDim(fields), { interleaved: true }),
    head: { tied: true, scale: fields.number('logit_scale', 0.0625) },
  });
}

/** Elements of a head: `head_dim`, else hidden size over heads, rounded down. */
export const headDim = (fields: Fields): number =>
  fields.sizeOr(
    'head_dim',
    Math.max(1, Math.floor(fields.size('hidden_size') / fields.size('num_attention_heads'))),
  );

/** StarCoder2: LayerNorms, an MLP of two products, biases unless `use_bias` is off. */
export function starcoder2(fields: Fields): Backbone {
  const bias = fields.flag('use_bias', true);
  return llamaBlock(fields, {
    family: 'starcoder2',
    norm: layerNorm,
    mixer: windowed(fields, { bias: bias ? allBias : noBias }, slidingWindows(fields, 1)),
    feedForward: constant(gatedMlp(fields, { gated: false, bias, activation: activation(fields) })),
    mlp: { ...llamaMlp, up: 'c_fc', down: 'c_proj' },
    dropout: {
      embedding: fields.number('embedding_dropout', 0),
      residual: fields.number('residual_dropout', 0),
    },
    head: { tied: true },
  });
}

const activation = (fields: Fields): string => fields.text('hidden_act', 'gelu_pytorch_tanh');

/** StableLM and StableLM 2: LayerNorms, a quarter of each head rotated. */
export function stablelm(fields: Fields): Backbone {
  const parallel = fields.flag('use_parallel_residual', false);
  return llamaBlock(fields, {
    family: 'stablelm',
    norm: layerNorm,
    placement: parallel ? 'parallel' : 'pre',
    norms: parallel ? ['input_layernorm'] : ['input_layernorm', 'post_attention_layernorm'],
    mixer: windowed(
      fields,
      {
        bias: fields.flag('use_qkv_bias', false) ? inputBias : noBias,
        queryKeyNorm: fields.flag('qk_layernorm', false)
          ? { over: 'list', norm: layerNormWithoutBias }
          : null,
      },
      constant(null),
    ),
    attention: { ...llamaAttention, queryNorm: 'q_layernorm', keyNorm: 'k_layernorm' },
    positions: ropePositions(fields, headDim(fields), { share: 0.25 }),
    dropout: { embedding: 0, residual: fields.number('hidden_dropout', 0) },
  });
}

/** What the three Gemmas share: wide heads, (1 + weight) norms, scaled embeddings, a tied head. */
function gemmaStyle(fields: Fields, facts: Partial<SoftmaxAttention>, pattern: number | null): LlamaChanges {
  return {
    family: 'gemma',
    norm: gemmaNorm,
    mixer: windowed(
      fields,
      { bias: biasFlag(fields, 'attention_bias'), ...facts },
      slidingWindows(fields, pattern),
    ),
    feedForward: constant(gatedMlp(fields, { activation: activation(fields) })),
    embeddingScale: Math.sqrt(fields.size('hidden_size')),
    embeddingScaleIsBuffer: true,
    head: { tied: true, softCap: fields.number('final_logit_softcapping', null) },
  };
}

/** Gemma: no windows, no norms after the branches. */
export function gemma(fields: Fields): Backbone {
  return llamaBlock(fields, gemmaStyle(fields, {}, null));
}

const sandwichNorms = [
  'input_layernorm',
  'post_attention_layernorm',
  'pre_feedforward_layernorm',
  'post_feedforward_layernorm',
];

/** Gemma 2: every other layer sees a window; scores and logits are capped. */
export function gemma2(fields: Fields): Backbone {
  return llamaBlock(fields, {
    ...gemmaStyle(fields, { scoreSoftCap: fields.number('attn_logit_softcapping', 50) }, 2),
    family: 'gemma2',
    placement: 'sandwich',
    norms: sandwichNorms,
  });
}

/** Gemma 3: five of six layers see a window, each head is normed. */
export function gemma3(fields: Fields): Backbone {
  const pattern = windowPattern(fields, 6);
  return llamaBlock(fields, {
    ...gemmaStyle(fields, { queryKeyNorm: { over: 'head', norm: gemmaNorm } }, pattern),
    family: 'gemma3',
    placement: 'sandwich',
    norms: sandwichNorms,
    rotaryTypes: kindsPresent(fields.layers(), slidingWindows(fields, pattern)),
  });
}

/** EXAONE 4: norms after each branch; where layers slide, the full ones have no positions. */
export function exaone4(fields: Fields): Backbone {
  const windowOf = slidingWindows(fields, windowPattern(fields, 4));
  const mixer = windowed(fields, { queryKeyNorm: { over: 'head', norm: rmsNorm } }, windowOf);
  const slides = fields.has('sliding_window');
  return llamaBlock(fields, {
    family: 'exaone4',
    placement: 'branch',
    norms: ['post_attention_layernorm', 'post_feedforward_layernorm'],
    mixer: (index) => ({ ...mixer(index), positions: !slides || windowOf(index) !== null }),
  });
}

/** SmolLM3: every fourth layer has no positions (`no_rope_layers` lists 0 for those). */
export function smollm3(fields: Fields): Backbone {
  const flags = fields.wholes('no_rope_layers');
  const interval = fields.sizeOr('no_rope_layer_interval', 4);
  const mixer = windowed(fields, { bias: biasFlag(fields, 'attention_bias') }, qwenWindows(fields));
  return llamaBlock(fields, {
    family: 'smollm3',
    mixer: (index) => ({
      ...mixer(index),
      positions: flags === null ? (index + 1) % interval !== 0 : flags[index] !== 0,
    }),
    feedForward: constant(gatedMlp(fields, { bias: fields.flag('mlp_bias', false) })),
    head: { tied: true },
  });
}
