/** Dense decoders whose block is llama's with other norms, biases, activations or names. */
import type { Mlp, SoftmaxAttention } from '../architecture';
import { allBias, inputBias, llamaAttention, noBias } from '../attention';
import type { Backbone } from '../backbone';
import { gatedMlp, llamaMlp } from '../feedForward';
import type { Fields } from '../fields';
import { gemmaNorm, layerNorm, rmsNorm } from '../norms';
import { ropePositions } from '../positions';
import { qwenWindows, slidingWindows } from '../windows';
import { biasFlag, headDim, windowed } from './llama';
import { constant, llamaBlock, type LlamaChanges } from './llamaBlock';

const ungatedMlp = (fields: Fields, activation: string, bias: boolean): (() => Mlp) =>
  constant(gatedMlp(fields, { gated: false, bias, activation: fields.text('hidden_act', activation) }));

/** Phi-1, 1.5 and 2: one LayerNorm for attention and MLP, which run side by side; biases everywhere, also on the head. */
export function phi(fields: Fields): Backbone {
  const dim = Math.max(1, Math.floor(fields.size('hidden_size') / fields.size('num_attention_heads')));
  return llamaBlock(fields, {
    family: 'phi',
    norm: layerNorm,
    placement: 'parallel',
    norms: ['input_layernorm'],
    mixer: windowed(
      fields,
      {
        headDim: dim,
        bias: allBias,
        queryKeyNorm: fields.flag('qk_layernorm', false) ? { over: 'head', norm: layerNorm } : null,
      },
      constant(null),
    ),
    feedForward: constant(phiMlp(fields)),
    attention: { ...llamaAttention, output: 'dense', queryNorm: 'q_layernorm', keyNorm: 'k_layernorm' },
    mlp: { ...llamaMlp, up: 'fc1', down: 'fc2' },
    positions: ropePositions(fields, dim, { share: 0.5 }),
    dropout: { embedding: fields.number('embd_pdrop', 0), residual: fields.number('resid_pdrop', 0) },
    head: { bias: true },
    finalNorm: 'final_layernorm',
  });
}

/** Files of the first published code leave the width null: four times the hidden size. */
function phiMlp(fields: Fields): Mlp {
  const isFirst = fields.text('model_type', 'phi') === 'phi-msft';
  const width = isFirst
    ? fields.sizeOr('intermediate_size', 4 * fields.size('hidden_size'))
    : fields.size('intermediate_size');
  return gatedMlp(fields, {
    gated: false,
    bias: true,
    width,
    activation: fields.text('hidden_act', 'gelu_new'),
  });
}

/** Persimmon and Fuyu's language model: GPT-NeoX's names, each head's query and key normed, squared ReLU. */
export function persimmon(fields: Fields): Backbone {
  return llamaBlock(fields, {
    family: 'persimmon',
    norm: layerNorm,
    mixer: windowed(
      fields,
      {
        bias: allBias,
        projection: 'fused',
        queryKeyNorm: fields.flag('qk_layernorm', true) ? { over: 'head', norm: layerNorm } : null,
      },
      constant(null),
    ),
    feedForward: ungatedMlp(fields, 'relu2', true),
    attention: {
      ...llamaAttention,
      fused: 'query_key_value',
      output: 'dense',
      queryNorm: 'q_layernorm',
      keyNorm: 'k_layernorm',
    },
    mlp: { ...llamaMlp, up: 'dense_h_to_4h', down: 'dense_4h_to_h' },
    positions: ropePositions(fields, headDim(fields), { share: 0.5 }),
    finalNorm: 'final_layernorm',
  });
}

/** Nemotron (Minitron, Nemotron-4): LayerNorm with one plus its weight, an MLP of squared ReLU. */
export function nemotron(fields: Fields): Backbone {
  return llamaBlock(fields, {
    family: 'nemotron',
    norm: { ...layerNorm, onePlusWeight: true },
    mixer: windowed(fields, { bias: biasFlag(fields, 'attention_bias') }, constant(null)),
    feedForward: ungatedMlp(fields, 'relu2', fields.flag('mlp_bias', false)),
    positions: ropePositions(fields, headDim(fields), { share: 0.5 }),
  });
}

function glmStyle(fields: Fields): LlamaChanges {
  return {
    family: 'glm',
    norm: rmsNorm,
    mixer: windowed(
      fields,
      { bias: fields.flag('attention_bias', true) ? inputBias : noBias },
      constant(null),
    ),
    feedForward: constant(gatedMlp(fields, { fused: true })),
    positions: ropePositions(fields, headDim(fields), { share: 0.5, interleaved: true }),
  };
}

/** GLM-4 9B in transformers: half of each head rotated, gate and up in one product. */
export function glm(fields: Fields): Backbone {
  return llamaBlock(fields, glmStyle(fields));
}

/** GLM-4 0414 and the language model of GLM-4V: GLM with norms after each branch too. */
export function glm4(fields: Fields): Backbone {
  return llamaBlock(fields, {
    ...glmStyle(fields),
    family: 'glm4',
    placement: 'sandwich',
    norms: ['input_layernorm', 'post_attention_layernorm', 'post_self_attn_layernorm', 'post_mlp_layernorm'],
  });
}

/** Helium: llama with an output projection that never has a bias. */
export function helium(fields: Fields): Backbone {
  return llamaBlock(fields, {
    family: 'helium',
    norm: { ...rmsNorm, fp32: true },
    mixer: windowed(
      fields,
      { bias: fields.flag('attention_bias', false) ? inputBias : noBias },
      constant(null),
    ),
    feedForward: constant(gatedMlp(fields, { bias: fields.flag('mlp_bias', false) })),
  });
}

/** Arcee AFM: llama with a plain MLP of squared ReLU. */
export function arcee(fields: Fields): Backbone {
  return llamaBlock(fields, {
    family: 'arcee',
    mixer: windowed(fields, { bias: biasFlag(fields, 'attention_bias') }, constant(null)),
    feedForward: ungatedMlp(fields, 'relu2', fields.flag('mlp_bias', false)),
  });
}

/** Jais 2: LayerNorms, biases, an MLP of squared ReLU. */
export function jais2(fields: Fields): Backbone {
  return llamaBlock(fields, {
    family: 'jais2',
    norm: layerNorm,
    mixer: windowed(fields, { bias: biasFlag(fields, 'attention_bias', true) }, constant(null)),
    feedForward: ungatedMlp(fields, 'relu2', fields.flag('mlp_bias', true)),
  });
}

/** Seed-OSS: biases on query, key and value, dropout on the branches. */
export function seedOss(fields: Fields): Backbone {
  const bias: SoftmaxAttention['bias'] = {
    ...(fields.flag('attention_bias', true) ? inputBias : noBias),
    output: fields.flag('attention_out_bias', false),
  };
  return llamaBlock(fields, {
    family: 'seed_oss',
    mixer: windowed(fields, { bias, dropout: fields.number('attention_dropout', 0.1) }, constant(null)),
    feedForward: constant(gatedMlp(fields, { bias: fields.flag('mlp_bias', false) })),
    dropout: { embedding: 0, residual: fields.number('residual_dropout', 0.1) },
  });
}

/** ERNIE 4.5, dense. */
export function ernie45(fields: Fields): Backbone {
  const bias = fields.flag('use_bias', false);
  return llamaBlock(fields, {
    family: 'ernie4_5',
    mixer: windowed(fields, { bias: bias ? allBias : noBias }, constant(null)),
    feedForward: constant(gatedMlp(fields, { bias })),
    head: { tied: true },
  });
}

/** Hunyuan's dense models: each head's query and key normed, after rope. */
export function hunyuanDense(fields: Fields): Backbone {
  return llamaBlock(fields, {
    family: 'hunyuan_v1_dense',
    mixer: windowed(fields, hunyuanAttention(fields), constant(null)),
    attention: { ...llamaAttention, queryNorm: 'query_layernorm', keyNorm: 'key_layernorm' },
  });
}

/** Hunyuan's attention: each head's query and key normed. */
export const hunyuanAttention = (fields: Fields): Partial<SoftmaxAttention> => ({
  bias: biasFlag(fields, 'attention_bias'),
  queryKeyNorm: { over: 'head', norm: rmsNorm },
});

/** CWM and Ministral: llama with windows on some layers. */
export function windowedLlama(fields: Fields): Backbone {
  return llamaBlock(fields, {
    family: 'ministral',
    mixer: windowed(fields, { bias: biasFlag(fields, 'attention_bias') }, slidingWindows(fields, null)),
    feedForward: constant(gatedMlp(fields, { bias: fields.flag('mlp_bias', false) })),
  });
}

/** VaultGemma: Gemma 2 without the norms after its branches. */
export function vaultGemma(fields: Fields): Backbone {
  return llamaBlock(fields, {
    family: 'vaultgemma',
    norm: gemmaNorm,
    norms: ['input_layernorm', 'pre_feedforward_layernorm'],
    mixer: windowed(
      fields,
      {
        bias: biasFlag(fields, 'attention_bias'),
        scoreSoftCap: fields.number('attn_logit_softcapping', 50),
      },
      slidingWindows(fields, 2),
    ),
    feedForward: constant(gatedMlp(fields, { activation: fields.text('hidden_act', 'gelu_pytorch_tanh') })),
    embeddingScale: Math.sqrt(fields.size('hidden_size')),
    embeddingScaleIsBuffer: true,
    head: { tied: true, softCap: fields.number('final_logit_softcapping', 30) },
  });
}

/** InternLM: llama with biases in its attention unless the file says otherwise. */
export function internLm(fields: Fields): Backbone {
  return llamaBlock(fields, {
    family: 'internlm',
    mixer: windowed(fields, { bias: biasFlag(fields, 'bias', true) }, constant(null)),
  });
}

/** InternLM 3: llama with switches for the biases of inputs and output. */
export function internLm3(fields: Fields): Backbone {
  const bias: SoftmaxAttention['bias'] = {
    ...(fields.flag('qkv_bias', false) ? inputBias : noBias),
    output: fields.flag('bias', false),
  };
  return llamaBlock(fields, {
    family: 'internlm',
    mixer: windowed(fields, { bias }, constant(null)),
    feedForward: constant(gatedMlp(fields, { bias: fields.flag('bias', false) })),
  });
}

/** Orion: llama with LayerNorms. */
export function orion(fields: Fields): Backbone {
  return llamaBlock(fields, {
    family: 'orion',
    norm: layerNorm,
    mixer: windowed(fields, { bias: biasFlag(fields, 'attention_bias') }, constant(null)),
  });
}

/** MiMo: Qwen2's code under a type of its own, with a switch for the biases. */
export function qwen2Like(fields: Fields): Backbone {
  return llamaBlock(fields, {
    family: 'qwen2',
    mixer: windowed(
      fields,
      { bias: fields.flag('attention_bias', true) ? inputBias : noBias },
      qwenWindows(fields),
    ),
  });
}
