/** DeBERTa and its second version (also v3): attention over content and position apart. */
import type { Layer, Stack } from '../../model/architecture';
import { allBias, attentionNode, llamaAttention, softmaxAttention } from '../../model/attention';
import type { ReadArchitecture } from '../../model/decoderClasses';
import { tokenInputs } from '../../model/facts';
import { gatedMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { buildLayers } from '../../model/layers';
import type { ModelClass } from '../../model/modelClass';
import type { ModuleNode } from '../../model/modules';
import {
  block,
  convolution,
  embedding,
  group,
  indexBuffer,
  linear,
  list,
  norm,
  tensor,
  withBuffers,
} from '../../model/nodes';
import { layerNorm } from '../../model/norms';
import { bertDropout } from '../bert/config';
import { encoderModel } from '../common/config/encoderClasses';

/** `pos_att_type` is a list or a text with bars: `p2c|c2p`. */
function positionTerms(fields: ConfigFields): readonly string[] {
  const found = fields.find('pos_att_type');
  if (found === undefined) return [];
  return typeof found.value === 'string'
    ? found.value.toLowerCase().split('|')
    : (fields.names('pos_att_type') ?? []);
}

/** DeBERTa or its second version, by `model_type`. */
export function readDeberta(fields: ConfigFields, modelClass: ModelClass): ReadArchitecture {
  const isFirst = fields.text('model_type', 'deberta-v2') === 'deberta';
  const hidden = fields.size('hidden_size');
  const relative = fields.flag('relative_attention', false);
  const terms = relative ? positionTerms(fields) : [];
  const rows = fields.size('max_position_embeddings');
  const facts: Layer = {
    mixer: softmaxAttention(fields, hidden, {
      bias: allBias,
      causal: false,
      projection: isFirst ? 'fused' : 'separate',
      dropout: fields.number('attention_dropout', 0.1),
    }),
    cross: null,
    feedForward: gatedMlp(fields, {
      gated: false,
      bias: true,
      activation: fields.text('hidden_act', 'gelu'),
    }),
    norm: layerNorm,
    placement: 'post',
    norms: 2,
  };
  const selfAttention = isFirst ? firstAttention : secondAttention;
  const { layers, nodes } = buildLayers(
    fields.layers(),
    () => facts,
    (layer) => {
      const width = layer.feedForward.kind === 'mlp' ? layer.feedForward.width : 0;
      const output = (inputs: number): ModuleNode =>
        group('output', [linear('dense', inputs, hidden, true), norm('LayerNorm', hidden, layerNorm)]);
      return block([
        group('attention', [selfAttention(fields, layer, hidden, terms), output(hidden)]),
        group('intermediate', [linear('dense', hidden, width, true)]),
        output(width),
      ]);
    },
  );
  const embeddingSize = fields.sizeOr('embedding_size', hidden);
  // The first version has none.
  const buckets = isFirst ? -1 : fields.number('position_buckets', -1);
  const stack: Stack = {
    role: 'encoder',
    path: 'encoder',
    hiddenSize: hidden,
    inputs: tokenInputs(fields.size('vocab_size'), embeddingSize, {
      norm: layerNorm,
    }),
    positions: relative ? { kind: 'disentangled', inBuckets: buckets > 0, terms } : { kind: 'learned' },
    layers,
    finalNorm: null,
    maxPositions: rows,
    dropout: bertDropout(fields),
  };
  return encoderModel(
    {
      family: 'deberta',
      base: 'deberta',
      stack,
      activation: fields.text('hidden_act', 'gelu'),
      norm: layerNorm,
      children: [
        debertaEmbeddings(fields, hidden, embeddingSize),
        group('encoder', [
          list('layer', nodes),
          relative ? embedding('rel_embeddings', relativeRows(fields, buckets), hidden) : null,
          !isFirst && relative && /layer_norm/i.test(fields.text('norm_rel_ebd', 'none'))
            ? norm('LayerNorm', hidden, layerNorm)
            : null,
          isFirst ? null : convolutionNode(fields, hidden),
        ]),
      ],
      tokenTable: 'embeddings.word_embeddings.weight',
      tied: fields.flag('tie_word_embeddings', true),
      pooler: null,
      classifierDropout: fields.number('pooler_dropout', 0),
    },
    modelClass,
    'deberta',
  );
}

/** Rows of the table of distances: both directions of `position_buckets`, else of `max_relative_positions`. */
function relativeRows(fields: ConfigFields, buckets: number): number {
  if (buckets > 0) return 2 * buckets;
  const furthest = fields.number('max_relative_positions', -1);
  return 2 * (furthest < 1 ? fields.size('max_position_embeddings') : furthest);
}

function debertaEmbeddings(fields: ConfigFields, hidden: number, width: number): ModuleNode {
  const rows = fields.size('max_position_embeddings');
  const types = fields.count('type_vocab_size', 0);
  const node = group('embeddings', [
    embedding('word_embeddings', fields.size('vocab_size'), width),
    fields.flag('position_biased_input', true) ? embedding('position_embeddings', rows, width) : null,
    types > 0 ? embedding('token_type_embeddings', types, width) : null,
    width === hidden ? null : linear('embed_proj', width, hidden),
    norm('LayerNorm', hidden, layerNorm),
  ]);
  return withBuffers(node, [indexBuffer('position_ids', 1, rows)]);
}

/** A convolution over neighbouring tokens beside the first layer (v2 of 900M and 1.5B). */
function convolutionNode(fields: ConfigFields, hidden: number): ModuleNode | null {
  const kernel = fields.count('conv_kernel_size', 0);
  if (kernel === 0) return null;
  const groups = fields.sizeOr('conv_groups', 1);
  return group('conv', [
    convolution('conv', Math.floor(hidden / groups), hidden, [kernel]),
    norm('LayerNorm', hidden, layerNorm),
  ]);
}

/** v1: one product without bias for query, key and value, with biases of query and value as parameters. */
function firstAttention(
  fields: ConfigFields,
  _layer: Layer,
  hidden: number,
  terms: readonly string[],
): ModuleNode {
  const heads = fields.size('num_attention_heads');
  const talking = fields.flag('talking_head', false);
  return group(
    'self',
    [
      linear('in_proj', hidden, 3 * hidden),
      talking ? linear('head_logits_proj', heads, heads) : null,
      talking ? linear('head_weights_proj', heads, heads) : null,
      terms.includes('c2p') ? linear('pos_proj', hidden, hidden) : null,
      terms.includes('p2c') ? linear('pos_q_proj', hidden, hidden, true) : null,
    ],
    [tensor('q_bias', hidden), tensor('v_bias', hidden)],
  );
}

/** v2 and v3: three products with biases; positions share them where `share_att_key`. */
function secondAttention(
  fields: ConfigFields,
  layer: Layer,
  hidden: number,
  terms: readonly string[],
): ModuleNode {
  const names = {
    ...llamaAttention,
    module: 'self',
    query: 'query_proj',
    key: 'key_proj',
    value: 'value_proj',
  };
  const base =
    layer.mixer.kind === 'attention'
      ? attentionNode(layer.mixer, hidden, { ...names, order: ['query', 'key', 'value'] })
      : group('self', []);
  if (fields.flag('share_att_key', false)) return base;
  const own = [
    terms.includes('c2p') ? linear('pos_key_proj', hidden, hidden, true) : null,
    terms.includes('p2c') ? linear('pos_query_proj', hidden, hidden, true) : null,
  ].filter((part) => part !== null);
  return { ...base, children: [...base.children, ...own] };
}
