/** Decoders whose code is published beside their weights and not in transformers, under the module names of that code. */
import type { FeedForward, Mixer, Mlp, SoftmaxAttention } from '../architecture';
import { allBias, attentionNode, inputBias, llamaAttention, noBias, softmaxAttention } from '../attention';
import { baseNode, type Backbone } from '../backbone';
import { placed, type ReadArchitecture } from '../decoderClasses';
import { gatedMlp, llamaMlp, mlpNode } from '../feedForward';
import { languageModelFacts } from '../facts';
import { isRecord, type Fields } from '../fields';
import { ordinaryParts, preNormLayer } from '../layers';
import { isLanguageModel, type ModelClass } from '../modelClass';
import { block, convolution, embedding, group, linear, list, norm } from '../nodes';
import { rmsNorm } from '../norms';
import { ropePositions } from '../positions';
import { headDim } from './llama';
import { constant, llamaBlock } from './llamaBlock';
import { nearestDecoder } from './nearestDecoder';
import { plainDecoder } from './plainDecoder';

/** Baichuan 1 and 2: query, key and value in one product; the 13B models (hidden size 5120) use ALiBi. */
export function baichuan(fields: Fields): Backbone {
  const attention = softmaxAttention(fields, fields.size('hidden_size'), { projection: 'fused' });
  const isLarge = fields.size('hidden_size') === 5120;
  return llamaBlock(fields, {
    family: 'baichuan',
    mixer: constant(attention),
    attention: { ...llamaAttention, fused: 'W_pack' },
    ...(isLarge ? { positions: { kind: 'alibi' } as const } : {}),
  });
}

/** ChatGLM2, ChatGLM3 and GLM-4 9B with their output layer, which the base class has too. */
function chatglmBackbone(fields: Fields): Backbone {
  const hidden = fields.size('hidden_size');
  const heads = fields.size('num_attention_heads');
  const headSize = fields.sizeOr('kv_channels', Math.max(1, Math.floor(hidden / heads)));
  const otherBias = fields.flag('add_bias_linear', false);
  const groups = fields.flag('multi_query_attention', false)
    ? fields.sizeOr('multi_query_group_num', 1)
    : heads;
  const attention: SoftmaxAttention = {
    ...softmaxAttention(fields, hidden, {
      headDim: headSize,
      projection: 'fused',
      bias: { ...(otherBias || fields.flag('add_qkv_bias', false) ? inputBias : noBias), output: otherBias },
    }),
    keyValueHeads: groups,
  };
  const mlp = gatedMlp(fields, { fused: true, bias: otherBias, activation: 'silu' });
  const layer = preNormLayer(attention, mlp, rmsNorm);
  const last = fields.flag('post_layer_norm', true);
  const backbone = plainDecoder(fields, {
    family: 'chatglm',
    positions: ropePositions(fields, headSize, { share: 0.5, interleaved: true }),
    norm: rmsNorm,
    layerOf: () => layer,
    blockOf: () =>
      block([
        norm('input_layernorm', hidden, rmsNorm),
        attentionNode(attention, hidden, {
          ...llamaAttention,
          module: 'self_attention',
          fused: 'query_key_value',
          output: 'dense',
        }),
        norm('post_attention_layernorm', hidden, rmsNorm),
        mlpNode(mlp, hidden, { ...llamaMlp, fused: 'dense_h_to_4h', down: 'dense_4h_to_h' }),
      ]),
    children: (blocks, _hidden, vocabulary) => [
      group('embedding', [embedding('word_embeddings', vocabulary, hidden)]),
      group('encoder', [list('layers', blocks), ...(last ? [norm('final_layernorm', hidden, rmsNorm)] : [])]),
      linear('output_layer', hidden, vocabulary),
    ],
    tokenTable: 'embedding.word_embeddings',
    head: {},
  });
  return { ...backbone, stack: { ...backbone.stack, path: 'encoder' } };
}

/** ChatGLM2, ChatGLM3 and GLM-4 9B by their published code; the base class has the output layer, too. */
export function chatglm(fields: Fields, modelClass: ModelClass): ReadArchitecture {
  const backbone = chatglmBackbone(fields);
  const { inputs, hiddenSize } = backbone.stack;
  const isBare = !isLanguageModel(modelClass) && modelClass.kind !== 'sequence-classification';
  const isClassifier = modelClass.kind === 'sequence-classification';
  return {
    family: backbone.family,
    className: modelClass.name,
    stacks: [placed(backbone.stack, isBare ? '' : 'transformer')],
    connectors: [],
    head: isClassifier
      ? { kind: 'classifier', labels: modelClass.labels, over: 'input', transform: null, dropout: 0 }
      : languageModelFacts(inputs.kind === 'tokens' ? inputs.vocabularySize : 0, false),
    modules: isBare
      ? baseNode(backbone, '')
      : group('', [
          baseNode(backbone, 'transformer'),
          isClassifier ? linear('classifier_head', hiddenSize, modelClass.labels, true) : null,
        ]),
    warnings: [],
  };
}

/** Qwen 1: `intermediate_size` counts both halves of its gated MLP. */
export function qwen1(fields: Fields): Backbone {
  const hidden = fields.size('hidden_size');
  const plainBias = !fields.flag('no_bias', true);
  const attention = softmaxAttention(fields, hidden, {
    headDim: fields.sizeOr('kv_channels', headDim(fields)),
    projection: 'fused',
    bias: { ...inputBias, output: plainBias },
  });
  const width = Math.max(1, Math.floor(fields.size('intermediate_size') / 2));
  const mlp: Mlp = gatedMlp(fields, { width, bias: plainBias, activation: 'silu' });
  const layer = preNormLayer(attention, mlp, rmsNorm);
  return plainDecoder(fields, {
    family: 'qwen',
    positions: ropePositions(fields, attention.headDim),
    norm: rmsNorm,
    layerOf: () => layer,
    blockOf: (facts) =>
      block([
        norm('ln_1', hidden, rmsNorm),
        attentionNode(attention, hidden, {
          ...llamaAttention,
          module: 'attn',
          fused: 'c_attn',
          output: 'c_proj',
        }),
        norm('ln_2', hidden, rmsNorm),
        mlpNode(ordinaryParts(facts).mlp, hidden, { ...llamaMlp, gate: 'w1', up: 'w2', down: 'c_proj' }),
      ]),
    children: (blocks, _hidden, vocabulary) => [
      embedding('wte', vocabulary, hidden),
      list('h', blocks),
      norm('ln_f', hidden, rmsNorm),
    ],
    tokenTable: 'wte',
    head: {},
  });
}

/** InternLM 2 and 2.5: llama's block under names of its own, query, key and value in one product. */
export function internLm2(fields: Fields): Backbone {
  const hidden = fields.size('hidden_size');
  const bias = fields.flag('bias', true);
  const attention = softmaxAttention(fields, hidden, {
    projection: 'fused',
    bias: bias ? allBias : noBias,
  });
  const mlp = gatedMlp(fields);
  const layer = preNormLayer(attention, mlp, rmsNorm);
  return plainDecoder(fields, {
    family: 'internlm2',
    positions: ropePositions(fields, attention.headDim),
    norm: rmsNorm,
    layerOf: () => layer,
    blockOf: () =>
      block([
        attentionNode(attention, hidden, {
          ...llamaAttention,
          module: 'attention',
          fused: 'wqkv',
          output: 'wo',
        }),
        mlpNode(mlp, hidden, { ...llamaMlp, module: 'feed_forward', gate: 'w1', up: 'w3', down: 'w2' }),
        norm('attention_norm', hidden, rmsNorm),
        norm('ffn_norm', hidden, rmsNorm),
      ]),
    children: (blocks, _hidden, vocabulary) => [
      embedding('tok_embeddings', vocabulary, hidden),
      list('layers', blocks),
      norm('norm', hidden, rmsNorm),
    ],
    tokenTable: 'tok_embeddings',
    head: { base: 'model', name: 'output' },
  });
}

/** EXAONE 3: llama's block under GPT-2's names. */
export function exaone3(fields: Fields): Backbone {
  const hidden = fields.size('hidden_size');
  const attention = softmaxAttention(fields, hidden);
  const mlp = gatedMlp(fields);
  const layer = preNormLayer(attention, mlp, rmsNorm);
  const names = { ...llamaAttention, module: 'attention', output: 'out_proj' };
  return plainDecoder(fields, {
    family: 'exaone',
    positions: ropePositions(fields, attention.headDim),
    norm: rmsNorm,
    layerOf: () => layer,
    blockOf: () =>
      block([
        norm('ln_1', hidden, rmsNorm),
        group('attn', [attentionNode(attention, hidden, names)]),
        norm('ln_2', hidden, rmsNorm),
        mlpNode(mlp, hidden, { ...llamaMlp, gate: 'c_fc_0', up: 'c_fc_1', down: 'c_proj' }),
      ]),
    children: (blocks, _hidden, vocabulary) => [
      embedding('wte', vocabulary, hidden),
      list('h', blocks),
      norm('ln_f', hidden, rmsNorm),
    ],
    tokenTable: 'wte',
    head: {},
  });
}

/** Yuan 2: query and key from one product, over a gate of two convolutions along the sequence. */
export function yuan(fields: Fields): Backbone {
  const hidden = fields.size('hidden_size');
  const attention = softmaxAttention(fields, hidden);
  const width = attention.heads * attention.headDim;
  const half = Math.max(1, Math.floor(hidden / 2));
  const mlp = gatedMlp(fields);
  const filtered = group('self_attn', [
    linear('v_proj', hidden, width),
    linear('o_proj', width, hidden),
    group('lf_gate', [
      convolution('conv1', hidden, half, [2, 1]),
      convolution('conv2', half, hidden, [2, 1]),
      norm('output_layernorm', hidden, rmsNorm),
    ]),
    linear('q_proj', hidden, width),
    linear('k_proj', hidden, width),
  ]);
  return llamaBlock(fields, {
    family: 'yuan',
    mixer: constant<Mixer>({ kind: 'other', name: 'localized-filtering-attention' }),
    feedForward: constant<FeedForward>(mlp),
    positions: ropePositions(fields, attention.headDim),
    ownNode: (part) => (part.kind === 'other' ? filtered : null),
  });
}

/**
 * Nemotron's searched models (DeciLM): each layer's `block_configs` entry says whether it has attention and an MLP, how
 * many heads share a key, and how wide the MLP is (`ffn_mult`, in steps of 256).
 */
export function deciLm(fields: Fields): Backbone {
  const hidden = fields.size('hidden_size');
  const heads = fields.size('num_attention_heads');
  const entries = fields.list('block_configs');
  if (entries === null) throw fields.missing('block_configs');
  const halfOf = (index: number, name: string): Readonly<Record<string, unknown>> => {
    const entry = entries[index];
    const half = isRecord(entry) ? entry[name] : undefined;
    if (!isRecord(half)) throw fields.missing(`block_configs[${String(index)}].${name}`);
    return half;
  };
  const mixer = (index: number): Mixer => {
    const half = halfOf(index, 'attention');
    if (half['no_op'] === true) return { kind: 'none' };
    if (half['replace_with_linear'] === true) return { kind: 'other', name: 'linear' };
    const shared = half['n_heads_in_group'];
    if (typeof shared !== 'number' || !(shared >= 1 && shared <= heads))
      throw fields.missing(`block_configs[${String(index)}].attention.n_heads_in_group`);
    return softmaxAttention(fields, hidden, { keyValueHeads: Math.floor(heads / shared) });
  };
  const feedForward = (index: number): FeedForward => {
    const half = halfOf(index, 'ffn');
    if (half['no_op'] === true) return { kind: 'none' };
    if (half['replace_with_linear'] === true) return { kind: 'other', name: 'linear' };
    const multiple = half['ffn_mult'];
    if (typeof multiple !== 'number' || !(multiple > 0 && multiple < 1000))
      throw fields.missing(`block_configs[${String(index)}].ffn.ffn_mult`);
    return gatedMlp(fields, { width: Math.ceil(Math.floor((2 * multiple * hidden) / 3) / 256) * 256 });
  };
  return llamaBlock(fields, {
    family: 'nemotron_nas',
    mixer,
    feedForward,
    positions: ropePositions(fields, headDim(fields)),
    normsOf: ({ mixer: first, feedForward: second }) => [
      ...(first.kind === 'none' ? [] : ['input_layernorm']),
      ...(second.kind === 'none' ? [] : ['post_attention_layernorm']),
    ],
    ownNode: (part) =>
      part.kind === 'other' ? group(part.name, [linear('linear_attn', hidden, hidden)]) : null,
  });
}

/** MiniCPM, dense or with experts as wide as its MLP: llama's block, scaled embeddings and a tied head. */
export function miniCpm(fields: Fields): Backbone {
  const scale = fields.number('scale_emb', 12);
  const backbone = nearestDecoder(fields);
  const { inputs } = backbone.stack;
  return {
    ...backbone,
    family: 'minicpm',
    stack: inputs.kind === 'tokens' ? { ...backbone.stack, inputs: { ...inputs, scale } } : backbone.stack,
    head: { ...backbone.head, tied: fields.flag('tie_word_embeddings', true) },
  };
}
