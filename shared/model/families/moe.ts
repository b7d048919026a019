/** Decoders with llama's block whose MLP is a mixture of experts. */
import type { FeedForward, MixtureOfExperts, SoftmaxAttention } from '../architecture';
import { allBias, inputBias, noBias, softmaxAttention } from '../attention';
import type { Backbone } from '../backbone';
import { expertGroups, expertMixture, gatedMlp, mixtralExperts, type ExpertNames } from '../feedForward';
import type { Fields } from '../fields';
import { layerNorm, rmsNorm } from '../norms';
import { layerFields } from '../perLayer';
import { ropePositions } from '../positions';
import { sparseLayers } from '../sparseLayers';
import { qwenWindows, slidingWindows, windowPattern } from '../windows';
import { biasFlag, headDim, qwen3Attention, windowed } from './llama';
import { constant, llamaBlock } from './llamaBlock';

const expertsFirst: ExpertNames = {
  ...mixtralExperts,
  order: ['experts', 'router', 'shared', 'sharedGate'],
};

/** Experts where `sparse`, else a plain MLP of `intermediate_size`. */
function mixed(
  fields: Fields,
  moe: MixtureOfExperts,
  sparse: (index: number) => boolean,
): (index: number) => FeedForward {
  return (index) => (sparse(index) ? moe : gatedMlp(fields));
}

/** Shared experts of DeepSeek's kind: one MLP as wide as `n_shared_experts` experts. */
export function sharedMlp(fields: Fields, count: number, bias = false): MixtureOfExperts['shared'] {
  if (count === 0) return null;
  return {
    mlp: gatedMlp(fields, { width: count * fields.size('moe_intermediate_size'), bias }),
    gate: false,
  };
}

/** Mixtral: experts of `intermediate_size` in every layer, softmax routing. */
export function mixtral(fields: Fields): Backbone {
  const moe = expertMixture(fields, {
    experts: fields.experts('num_experts', 8),
    expertsPerToken: fields.sizeOr('num_experts_per_tok', 2),
    expertWidth: fields.size('intermediate_size'),
  });
  return llamaBlock(fields, {
    family: 'mixtral',
    mixer: windowed(fields, {}, slidingWindows(fields, 1)),
    feedForward: constant(moe),
  });
}

/** Phi-3.5-MoE: Mixtral with LayerNorms; biases on attention and head where the file says so, as the published one does. */
export function phimoe(fields: Fields): Backbone {
  return llamaBlock(fields, {
    family: 'phimoe',
    norm: layerNorm,
    mixer: windowed(fields, { bias: biasFlag(fields, 'attention_bias') }, slidingWindows(fields, 1)),
    feedForward: constant(
      expertMixture(fields, {
        experts: fields.experts('num_experts', 16),
        expertsPerToken: fields.sizeOr('num_experts_per_tok', 2),
        expertWidth: fields.size('intermediate_size'),
      }),
    ),
    experts: { ...mixtralExperts, router: 'router' },
    head: { bias: fields.flag('lm_head_bias', false) },
  });
}

/** Qwen1.5-MoE and Qwen2-MoE: an MLP beside the experts, behind a gate. */
export function qwen2Moe(fields: Fields): Backbone {
  const moe = expertMixture(fields, {
    normalised: fields.flag('norm_topk_prob', false),
    shared: {
      mlp: gatedMlp(fields, { width: fields.size('shared_expert_intermediate_size') }),
      gate: true,
    },
  });
  return llamaBlock(fields, {
    family: 'qwen2_moe',
    mixer: windowed(
      fields,
      { bias: fields.flag('qkv_bias', true) ? inputBias : noBias },
      qwenWindows(fields),
    ),
    feedForward: mixed(fields, moe, sparseLayers(fields)),
    experts: { ...mixtralExperts, shared: 'shared_expert' },
  });
}

/** Qwen3-MoE: Qwen3's attention, experts without an MLP beside them. */
export function qwen3Moe(fields: Fields): Backbone {
  return llamaBlock(fields, {
    family: 'qwen3_moe',
    mixer: windowed(fields, qwen3Attention(fields), qwenWindows(fields)),
    feedForward: mixed(
      fields,
      expertMixture(fields, { normalised: fields.flag('norm_topk_prob', false) }),
      sparseLayers(fields),
    ),
    experts: expertsFirst,
  });
}

/** OLMoE and FlexOLMo, which norms after its branches as OLMo 2 does. */
export function olmoe(fields: Fields): Backbone {
  const isFlex = fields.text('model_type', 'olmoe') === 'flex_olmo';
  return llamaBlock(fields, {
    family: 'olmoe',
    placement: isFlex ? 'branch' : 'pre',
    norms: isFlex
      ? ['post_attention_layernorm', 'post_feedforward_layernorm']
      : ['input_layernorm', 'post_attention_layernorm'],
    mixer: windowed(
      fields,
      { bias: biasFlag(fields, 'attention_bias'), queryKeyNorm: { over: 'all', norm: rmsNorm } },
      constant(null),
    ),
    feedForward: constant(
      expertMixture(fields, {
        expertWidth: fields.size('intermediate_size'),
        normalised: fields.flag('norm_topk_prob', false),
      }),
    ),
  });
}

/** gpt-oss: biases everywhere, a learned sink for each head, every other layer a window of 128 tokens. */
export function gptOss(fields: Fields): Backbone {
  const bias = fields.flag('attention_bias', true);
  const heads = fields.size('num_attention_heads');
  return llamaBlock(fields, {
    family: 'gpt_oss',
    norm: { ...rmsNorm, fp32: true },
    mixer: windowed(fields, { heads, bias: bias ? allBias : noBias, sinks: true }, slidingWindows(fields, 2)),
    feedForward: constant(
      expertMixture(fields, {
        expertWidth: fields.size('intermediate_size'),
        bias: true,
        routerBias: true,
        routerScore: 'softmax-of-chosen',
      }),
    ),
    experts: { ...mixtralExperts, router: 'router', inputsFirst: true },
  });
}

/** GLM-4.5 and 4.6, dots.1, Solar Open: sigmoid routing as DeepSeek V3 has it, over ordinary attention. */
function sigmoidRouted(
  fields: Fields,
  family: string,
  firstDense: number,
  attention: Parameters<typeof windowed>[1],
  share: number,
): Backbone {
  const moe = expertMixture(fields, {
    routerScore: 'sigmoid',
    normalised: fields.flag('norm_topk_prob', family !== 'dots1'),
    groups: expertGroups(fields, 1, 1),
    shared: sharedMlp(fields, fields.count('n_shared_experts', 1)),
  });
  return llamaBlock(fields, {
    family,
    mixer: windowed(fields, attention, slidingWindows(fields, null)),
    feedForward: mixed(fields, moe, sparseLayers(fields, firstDense)),
    experts: { ...expertsFirst, correction: 'buffer' },
    positions: ropePositions(fields, attention.headDim ?? headDim(fields), { share }),
  });
}

/** GLM-4.5 and 4.6. */
export function glm4Moe(fields: Fields): Backbone {
  return sigmoidRouted(
    fields,
    'glm4_moe',
    1,
    {
      headDim: headDim(fields),
      bias: fields.flag('attention_bias', false) ? inputBias : noBias,
      queryKeyNorm: fields.flag('use_qk_norm', false) ? { over: 'head', norm: rmsNorm } : null,
    },
    0.5,
  );
}

/** Solar Open. */
export function solarOpen(fields: Fields): Backbone {
  return sigmoidRouted(
    fields,
    'glm4_moe',
    0,
    { headDim: headDim(fields), bias: fields.flag('attention_bias', false) ? inputBias : noBias },
    1,
  );
}

/** dots.llm1: each head normed, experts not normalised unless the file says so. */
export function dots1(fields: Fields): Backbone {
  return sigmoidRouted(
    fields,
    'dots1',
    0,
    {
      headDim: headDim(fields),
      bias: biasFlag(fields, 'attention_bias'),
      queryKeyNorm: { over: 'head', norm: rmsNorm },
    },
    1,
  );
}

/** EXAONE MoE: EXAONE 4's attention before its norms, DeepSeek's routing. */
export function exaoneMoe(fields: Fields): Backbone {
  const moe = expertMixture(fields, {
    routerScore: 'sigmoid',
    groups: expertGroups(fields, 1, 1),
    shared: sharedMlp(fields, fields.count('num_shared_experts', 1)),
  });
  return llamaBlock(fields, {
    family: 'exaone_moe',
    mixer: windowed(
      fields,
      { queryKeyNorm: { over: 'head', norm: rmsNorm } },
      slidingWindows(fields, windowPattern(fields, 4)),
    ),
    feedForward: mixed(fields, moe, sparseLayers(fields, 1)),
    experts: { ...expertsFirst, correction: 'buffer' },
  });
}

/** MiniMax M2: norms over all query and all key heads together. */
export function minimaxM2(fields: Fields): Backbone {
  return llamaBlock(fields, {
    family: 'minimax_m2',
    mixer: windowed(fields, { queryKeyNorm: { over: 'all', norm: rmsNorm } }, constant(null)),
    feedForward: constant(
      expertMixture(fields, { expertWidth: fields.size('intermediate_size'), routerScore: 'sigmoid' }),
    ),
    experts: { ...mixtralExperts, correction: 'block-buffer' },
    positions: ropePositions(fields, headDim(fields)),
  });
}

/** MiMo V2: sliding layers have twice the key heads, and sinks; values are narrower than keys. */
export function mimoV2(fields: Fields): Backbone {
  const hybrid = fields.wholes('hybrid_layer_pattern');
  const types = fields.names('layer_types');
  const window = fields.sizeOr('sliding_window', fields.optionalSize('sliding_window_size'));
  // Where nothing is listed, the first layer and every sixth see everything.
  const slides = (index: number): boolean => {
    if (hybrid !== null) return hybrid[index] === 1;
    return types === null ? index > 0 && (index + 1) % 6 !== 0 : types[index] === 'sliding_attention';
  };
  const hidden = fields.size('hidden_size');
  const attentionOf = (own: Fields): SoftmaxAttention =>
    softmaxAttention(own, hidden, {
      headDim: headDim(own),
      valueHeadDim: own.sizeOr('v_head_dim', headDim(own)),
      bias: fields.flag('attention_bias', false) ? inputBias : noBias,
    });
  const full = attentionOf(fields);
  const mixer = (index: number): SoftmaxAttention => {
    const listed = layerFields(fields, index);
    const attention = listed === null ? full : attentionOf(listed);
    if (!slides(index)) return attention;
    return {
      ...attention,
      window,
      sinks: true,
      heads: fields.sizeOr('swa_num_attention_heads', attention.heads),
      keyValueHeads: fields.sizeOr('swa_num_key_value_heads', 2 * attention.keyValueHeads),
      headDim: fields.sizeOr('swa_head_dim', attention.headDim),
      valueHeadDim: fields.sizeOr('swa_v_head_dim', attention.valueHeadDim),
    };
  };
  const moe = expertMixture(fields, {
    routerScore: 'sigmoid',
    shared: sharedMlp(fields, fields.count('n_shared_experts', 0)),
  });
  return llamaBlock(fields, {
    family: 'mimo_v2',
    mixer,
    feedForward: mixed(fields, moe, sparseLayers(fields, 1)),
    experts: { ...expertsFirst, correction: 'buffer' },
    rotaryTypes: ['full_attention', 'sliding_attention'],
  });
}
