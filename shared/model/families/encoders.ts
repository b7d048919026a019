/** Encoders whose names or sharing differ from BERT's: DistilBERT, ALBERT, MPNet. */
import type { Layer, Norm, Stack } from '../architecture';
import { allBias, attentionNode, llamaAttention, softmaxAttention } from '../attention';
import type { ReadArchitecture } from '../decoderClasses';
import { gatedMlp } from '../feedForward';
import { tokenInputs } from '../facts';
import type { Fields } from '../fields';
import { buildLayers } from '../layers';
import type { ModelClass } from '../modelClass';
import type { ModuleNode } from '../modules';
import { block, embedding, group, indexBuffer, linear, list, norm, withBuffers } from '../nodes';
import { layerNorm } from '../norms';
import { bertDropout } from './bert';
import { encoderModel } from './encoderClasses';

interface EncoderFacts {
  readonly hiddenSize: number;
  readonly norm: Norm;
  readonly layer: Layer;
}

/** Facts of a block with biases everywhere and norms after each sum. */
function bertFacts(fields: Fields, defaults: { activation: string; dropout: number }): EncoderFacts {
  const hiddenSize = fields.size('hidden_size');
  return {
    hiddenSize,
    norm: layerNorm,
    layer: {
      mixer: softmaxAttention(fields, hiddenSize, {
        bias: allBias,
        causal: false,
        dropout: fields.number('attention_dropout', defaults.dropout),
      }),
      cross: null,
      feedForward: gatedMlp(fields, {
        gated: false,
        bias: true,
        activation: fields.text('hidden_act', defaults.activation),
        width: fields.has('intermediate_size') ? fields.size('intermediate_size') : fields.size('hidden_dim'),
      }),
      norm: layerNorm,
      placement: 'post',
      norms: 2,
    },
  };
}

function widthOf(layer: Layer): number {
  return layer.feedForward.kind === 'mlp' ? layer.feedForward.width : 0;
}

/** The stack's facts that these encoders share: a table of tokens and one of positions. */
function tokenStack(
  fields: Fields,
  facts: EncoderFacts,
  path: string,
  layers: readonly Layer[],
  embeddingSize: number,
): Stack {
  const rows = fields.size('max_position_embeddings');
  return {
    role: 'encoder',
    path,
    hiddenSize: facts.hiddenSize,
    inputs: tokenInputs(fields.size('vocab_size'), embeddingSize, { norm: facts.norm }),
    positions: { kind: 'learned' },
    layers,
    finalNorm: null,
    maxPositions: rows,
    dropout: bertDropout(fields),
  };
}

/** DistilBERT: BERT's block under other names, without token types and pooler. */
export function distilbert(fields: Fields, modelClass: ModelClass): ReadArchitecture {
  const facts = bertFacts(fields, { activation: 'gelu', dropout: 0.1 });
  const { hiddenSize: hidden, norm: normFacts } = facts;
  const rows = fields.size('max_position_embeddings');
  const names = { ...llamaAttention, query: 'q_lin', key: 'k_lin', value: 'v_lin', output: 'out_lin' };
  const { layers, nodes } = buildLayers(
    fields.layers(),
    () => facts.layer,
    ({ mixer }) =>
      block([
        mixer.kind === 'attention' ? attentionNode(mixer, hidden, { ...names, module: 'attention' }) : null,
        norm('sa_layer_norm', hidden, normFacts),
        group('ffn', [
          linear('lin1', hidden, widthOf(facts.layer), true),
          linear('lin2', widthOf(facts.layer), hidden, true),
        ]),
        norm('output_layer_norm', hidden, normFacts),
      ]),
  );
  const dropout = fields.number('dropout', 0.1);
  const stack = tokenStack(fields, facts, 'transformer', layers, hidden);
  return encoderModel(
    {
      family: 'distilbert',
      base: 'distilbert',
      stack: { ...stack, dropout: { embedding: dropout, residual: dropout, activation: 0, layer: 0 } },
      activation: fields.text('hidden_act', 'gelu'),
      norm: normFacts,
      children: [
        withBuffers(
          group('embeddings', [
            embedding('word_embeddings', fields.size('vocab_size'), hidden),
            embedding('position_embeddings', rows, hidden),
            norm('LayerNorm', hidden, normFacts),
          ]),
          [indexBuffer('position_ids', 1, rows)],
        ),
        group('transformer', [list('layer', nodes)]),
      ],
      tokenTable: 'embeddings.word_embeddings.weight',
      tied: fields.flag('tie_word_embeddings', true),
      pooler: null,
      classifierDropout: fields.number('seq_classif_dropout', 0.2),
    },
    modelClass,
    'distilbert',
  );
}

/** ALBERT: narrow tables, and one block (or a few groups) that all layers share. */
export function albert(fields: Fields, modelClass: ModelClass): ReadArchitecture {
  const facts = bertFacts(fields, { activation: 'gelu_new', dropout: 0 });
  const { hiddenSize: hidden, norm: normFacts, layer } = facts;
  const width = fields.sizeOr('embedding_size', 128);
  const rows = fields.size('max_position_embeddings');
  const types = fields.sizeOr('type_vocab_size', 2);
  const attention = {
    ...llamaAttention,
    module: 'attention',
    query: 'query',
    key: 'key',
    value: 'value',
    output: 'dense',
  };
  const self = layer.mixer.kind === 'attention' ? attentionNode(layer.mixer, hidden, attention) : null;
  const shared = block([
    norm('full_layer_layer_norm', hidden, normFacts),
    self === null ? null : { ...self, children: [...self.children, norm('LayerNorm', hidden, normFacts)] },
    linear('ffn', hidden, widthOf(layer), true),
    linear('ffn_output', widthOf(layer), hidden, true),
  ]);
  const repeated = (count: number, node: ModuleNode): ModuleNode[] =>
    Array.from({ length: count }, () => node);
  const inner = group('', [list('albert_layers', repeated(fields.sizeOr('inner_group_num', 1), shared))]);
  const layers = Array.from({ length: fields.layers() }, () => layer);
  return encoderModel(
    {
      family: 'albert',
      base: 'albert',
      stack: {
        ...tokenStack(fields, facts, 'encoder', layers, width),
        dropout: bertDropout(fields, 0),
      },
      activation: fields.text('hidden_act', 'gelu_new'),
      norm: normFacts,
      children: [
        withBuffers(
          group('embeddings', [
            embedding('word_embeddings', fields.size('vocab_size'), width),
            embedding('position_embeddings', rows, width),
            embedding('token_type_embeddings', types, width),
            norm('LayerNorm', width, normFacts),
          ]),
          [indexBuffer('position_ids', 1, rows), indexBuffer('token_type_ids', 1, rows)],
        ),
        group('encoder', [
          linear('embedding_hidden_mapping_in', width, hidden, true),
          list('albert_layer_groups', repeated(fields.sizeOr('num_hidden_groups', 1), inner)),
        ]),
      ],
      tokenTable: 'embeddings.word_embeddings.weight',
      tied: fields.flag('tie_word_embeddings', true),
      pooler: linear('pooler', hidden, hidden, true),
      classifierDropout: fields.number('classifier_dropout_prob', 0.1),
    },
    modelClass,
    'albert',
  );
}

/** MPNet: BERT with one table of relative distances for all layers. */
export function mpnet(fields: Fields, modelClass: ModelClass): ReadArchitecture {
  const facts = bertFacts(fields, { activation: 'gelu', dropout: 0.1 });
  const { hiddenSize: hidden, norm: normFacts, layer } = facts;
  const rows = fields.size('max_position_embeddings');
  const buckets = fields.sizeOr('relative_attention_num_buckets', 32);
  const heads = fields.size('num_attention_heads');
  const names = { ...llamaAttention, module: 'attn', query: 'q', key: 'k', value: 'v', output: 'o' };
  const { layers, nodes } = buildLayers(
    fields.layers(),
    () => layer,
    ({ mixer }) =>
      block([
        group('attention', [
          mixer.kind === 'attention' ? attentionNode(mixer, hidden, names) : null,
          norm('LayerNorm', hidden, normFacts),
        ]),
        group('intermediate', [linear('dense', hidden, widthOf(layer), true)]),
        group('output', [
          linear('dense', widthOf(layer), hidden, true),
          norm('LayerNorm', hidden, normFacts),
        ]),
      ]),
  );
  return encoderModel(
    {
      family: 'mpnet',
      base: 'mpnet',
      stack: tokenStack(fields, facts, 'encoder', layers, hidden),
      activation: fields.text('hidden_act', 'gelu'),
      norm: normFacts,
      children: [
        withBuffers(
          group('embeddings', [
            embedding('word_embeddings', fields.size('vocab_size'), hidden),
            embedding('position_embeddings', rows, hidden),
            norm('LayerNorm', hidden, normFacts),
          ]),
          [indexBuffer('position_ids', 1, rows)],
        ),
        group('encoder', [list('layer', nodes), embedding('relative_attention_bias', buckets, heads)]),
      ],
      tokenTable: 'embeddings.word_embeddings.weight',
      tied: fields.flag('tie_word_embeddings', true),
      pooler: group('pooler', [linear('dense', hidden, hidden, true)]),
      classifierDropout: fields.number('hidden_dropout_prob', 0.1),
    },
    modelClass,
    'mpnet',
  );
}
