/** OPT, Falcon, BLOOM and MPT: decoders of 2022 and 2023 under their own names. */
import type { SoftmaxAttention } from '../architecture';
import { allBias, attentionNode, llamaAttention, noBias, softmaxAttention } from '../attention';
import type { Backbone } from '../backbone';
import { llamaMlp, mlpNode } from '../feedForward';
import type { Fields } from '../fields';
import { ordinaryParts } from '../layers';
import type { ModuleNode } from '../modules';
import { block, embedding, group, linear, list, norm, rotary } from '../nodes';
import { layerNorm, layerNormWithoutParameters, layerNormWithoutBias } from '../norms';
import { ropePositions } from '../positions';
import { neoxMlp } from './gpt';
import { layerFacts, plainDecoder, plainMlp } from './plainDecoder';

/** OPT: learned positions shifted by two; the 350M model has narrow tables and norms after each sum. */
export function opt(fields: Fields): Backbone {
  const hidden = fields.size('hidden_size');
  const width = fields.sizeOr('word_embed_proj_dim', hidden);
  const bias = fields.flag('enable_bias', true);
  const normFacts = fields.flag('layer_norm_elementwise_affine', true)
    ? layerNorm
    : layerNormWithoutParameters;
  const before = fields.flag('do_layer_norm_before', true);
  const rows = fields.sizeOr('max_position_embeddings', 2048) + 2;
  const attention = softmaxAttention(fields, hidden, { bias: bias ? allBias : noBias });
  const facts = layerFacts(attention, plainMlp(fields, 'relu', bias), normFacts);
  const dropout = fields.number('dropout', 0.1);
  const hasFinalNorm = before && !fields.flag('_remove_final_layer_norm', false);
  const backbone = plainDecoder(fields, {
    family: 'opt',
    positions: { kind: 'learned' },
    norm: normFacts,
    layerOf: () => ({ ...facts, placement: before ? 'pre' : 'post' }),
    blockOf: (layer) => {
      const { mlp } = ordinaryParts(layer);
      const names = { ...llamaAttention, output: 'out_proj' };
      return block([
        attentionNode(attention, hidden, { ...names, order: ['key', 'value', 'query', 'output'] }),
        norm('self_attn_layer_norm', hidden, normFacts),
        linear('fc1', hidden, mlp.width, bias),
        linear('fc2', mlp.width, hidden, bias),
        norm('final_layer_norm', hidden, normFacts),
      ]);
    },
    children: (blocks, _hidden, vocabulary) => [
      group('decoder', [
        embedding('embed_tokens', vocabulary, width),
        embedding('embed_positions', rows, hidden),
        width === hidden ? null : linear('project_out', hidden, width),
        width === hidden ? null : linear('project_in', width, hidden),
        hasFinalNorm ? norm('final_layer_norm', hidden, normFacts) : null,
        list('layers', blocks),
      ]),
    ],
    tokenTable: 'decoder.embed_tokens',
    head: { base: 'model', tied: true },
    embeddingSize: width,
    dropout: { embedding: dropout, residual: dropout, layer: fields.number('layerdrop', 0) },
  });
  const { stack } = backbone;
  return {
    ...backbone,
    stack: { ...stack, path: 'decoder', finalNorm: hasFinalNorm ? normFacts : null },
  };
}

const falconAttention = {
  ...llamaAttention,
  module: 'self_attention',
  fused: 'query_key_value',
  output: 'dense',
};

/** Falcon: one key head (7B), a few (40B, 180B) or all (RW); attention and MLP side by side except in the oldest. */
export function falcon(fields: Fields): Backbone {
  const hidden = fields.size('hidden_size');
  const isNew = fields.flag('new_decoder_architecture', false);
  const parallel = fields.flag('parallel_attn', true);
  const bias = fields.flag('bias', false);
  const heads = fields.size('num_attention_heads');
  const keyValueHeads = isNew
    ? fields.sizeOr('num_key_value_heads', heads)
    : fields.flag('multi_query', true)
      ? 1
      : heads;
  const attention: SoftmaxAttention = {
    ...softmaxAttention(fields, hidden, { projection: 'fused', bias: bias ? allBias : noBias }),
    keyValueHeads,
  };
  const norms = falconNorms(fields, isNew, parallel);
  const facts = layerFacts(attention, plainMlp(fields, 'gelu', bias), layerNorm, parallel, norms.length);
  const alibi = fields.flag('alibi', false);
  const dropout = fields.number('hidden_dropout', 0);
  return plainDecoder(fields, {
    family: 'falcon',
    positions: alibi ? { kind: 'alibi' } : ropePositions(fields, attention.headDim),
    norm: layerNorm,
    layerOf: () => facts,
    blockOf: (layer) =>
      block([
        attentionNode(attention, hidden, falconAttention),
        mlpNode(ordinaryParts(layer).mlp, hidden, neoxMlp),
        ...norms.map((name) => norm(name, hidden, layerNorm)),
      ]),
    children: (blocks, _hidden, vocabulary) => [
      embedding('word_embeddings', vocabulary, hidden),
      list('h', blocks),
      norm('ln_f', hidden, layerNorm),
      // Made with ALiBi, too.
      rotary('rotary_emb', attention.headDim),
    ],
    tokenTable: 'word_embeddings',
    head: { tied: true },
    dropout: { residual: dropout },
  });
}

function falconNorms(fields: Fields, isNew: boolean, parallel: boolean): readonly string[] {
  if (!parallel) return ['post_attention_layernorm', 'input_layernorm'];
  const count = fields.sizeOr('num_ln_in_parallel_attn', isNew ? 2 : 1);
  return count === 2 ? ['ln_attn', 'ln_mlp'] : ['input_layernorm'];
}

/** BLOOM: ALiBi, a norm right after the token table. */
export function bloom(fields: Fields): Backbone {
  const hidden = fields.size('hidden_size');
  const attention = softmaxAttention(fields, hidden, { projection: 'fused', bias: allBias });
  const width = 4 * hidden;
  const facts = layerFacts(attention, { ...plainMlp(fields, 'gelu_pytorch_tanh'), width }, layerNorm);
  const dropout = fields.number('hidden_dropout', 0);
  return plainDecoder(fields, {
    family: 'bloom',
    positions: { kind: 'alibi' },
    norm: layerNorm,
    layerOf: () => facts,
    blockOf: (layer) =>
      block([
        norm('input_layernorm', hidden, layerNorm),
        attentionNode(attention, hidden, falconAttention),
        norm('post_attention_layernorm', hidden, layerNorm),
        mlpNode(ordinaryParts(layer).mlp, hidden, neoxMlp),
      ]),
    children: (blocks, _hidden, vocabulary) => [
      embedding('word_embeddings', vocabulary, hidden),
      norm('word_embeddings_layernorm', hidden, layerNorm),
      list('h', blocks),
      norm('ln_f', hidden, layerNorm),
    ],
    tokenTable: 'word_embeddings',
    embeddingNorm: layerNorm,
    head: { tied: true },
    dropout: { residual: dropout },
  });
}

/** MPT as transformers has it: ALiBi, no bias anywhere, an MLP four times as wide. */
export function mpt(fields: Fields): Backbone {
  const hidden = fields.size('hidden_size');
  const dropout = fields.part('attn_config')?.number('attn_pdrop', 0) ?? 0;
  const attention = softmaxAttention(fields, hidden, { projection: 'fused', dropout });
  const facts = layerFacts(
    attention,
    { ...plainMlp(fields, 'gelu', false), width: 4 * hidden },
    layerNormWithoutBias,
  );
  const ffn = (layer: Parameters<typeof ordinaryParts>[0]): ModuleNode =>
    mlpNode(ordinaryParts(layer).mlp, hidden, { ...llamaMlp, module: 'ffn' });
  return plainDecoder(fields, {
    family: 'mpt',
    positions: { kind: 'alibi' },
    norm: layerNormWithoutBias,
    layerOf: () => facts,
    blockOf: (layer) =>
      block([
        norm('norm_1', hidden, layerNormWithoutBias),
        attentionNode(attention, hidden, {
          ...llamaAttention,
          module: 'attn',
          fused: 'Wqkv',
          output: 'out_proj',
        }),
        norm('norm_2', hidden, layerNormWithoutBias),
        ffn(layer),
      ]),
    children: (blocks, _hidden, vocabulary) => [
      embedding('wte', vocabulary, hidden),
      list('blocks', blocks),
      norm('norm_f', hidden, layerNormWithoutBias),
    ],
    tokenTable: 'wte',
    head: { tied: true },
    dropout: { residual: dropout },
  });
}
