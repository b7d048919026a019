/** BERT and the encoders shaped after it: tables for tokens, positions and types, blocks normed after each sum. */
import type { Layer, Norm, Stack } from '../../model/architecture';
import { allBias, attentionNode, llamaAttention, softmaxAttention } from '../../model/attention';
import type { ReadArchitecture } from '../../model/decoderClasses';
import { tokenInputs } from '../../model/facts';
import { gatedMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { buildLayers, ordinaryParts } from '../../model/layers';
import type { ModelClass } from '../../model/modelClass';
import type { ModuleNode } from '../../model/modules';
import { block, embedding, group, indexBuffer, linear, list, norm, withBuffers } from '../../model/nodes';
import { layerNorm } from '../../model/norms';
import { encoderModel } from '../common/config/encoderClasses';
import type { Encoder, EncoderHeads } from '../common/config/encoderHeads';

interface BertStyle {
  readonly family: string;
  /** Attribute that holds the base model in the classes with a head. */
  readonly base: string;
  /** RoBERTa registers its position table last, and its MLM head before the base in some classes. */
  readonly positionsLast: boolean;
  readonly heads: EncoderHeads;
  readonly hasPooler: boolean;
}

const bertAttention = {
  ...llamaAttention,
  module: 'self',
  query: 'query',
  key: 'key',
  value: 'value',
  order: ['query', 'key', 'value'] as const,
};

export function bertLike(fields: ConfigFields, modelClass: ModelClass, style: BertStyle): ReadArchitecture {
  const hiddenSize = fields.size('hidden_size');
  const embeddingSize = fields.sizeOr('embedding_size', hiddenSize);
  const { layers, nodes } = bertLayers(fields, hiddenSize, layerNorm);
  const rows = fields.size('max_position_embeddings');
  const stack: Stack = {
    role: 'encoder',
    path: 'encoder',
    hiddenSize,
    inputs: tokenInputs(fields.size('vocab_size'), embeddingSize, {
      norm: layerNorm,
    }),
    positions: { kind: 'learned' },
    layers,
    finalNorm: null,
    maxPositions: rows,
    dropout: bertDropout(fields),
  };
  const encoder: Encoder = {
    family: style.family,
    base: style.base,
    stack,
    activation: fields.text('hidden_act', 'gelu'),
    norm: layerNorm,
    children: [
      bertEmbeddings(fields, embeddingSize, layerNorm, style.positionsLast),
      embeddingSize === hiddenSize ? null : linear('embeddings_project', embeddingSize, hiddenSize, true),
      group('encoder', [list('layer', nodes)]),
    ],
    tokenTable: 'embeddings.word_embeddings.weight',
    tied: fields.flag('tie_word_embeddings', true),
    pooler: style.hasPooler ? group('pooler', [linear('dense', hiddenSize, hiddenSize, true)]) : null,
    classifierDropout: fields.number('classifier_dropout', null) ?? fields.number('hidden_dropout_prob', 0.1),
  };
  return encoderModel(encoder, modelClass, style.heads);
}

/** `hidden_dropout_prob` after the embeddings and after each branch. */
export function bertDropout(fields: ConfigFields, byDefault = 0.1): Stack['dropout'] {
  const dropout = fields.number('hidden_dropout_prob', byDefault);
  return { embedding: dropout, residual: dropout, activation: 0, layer: 0 };
}

/** The layers of a BERT, normed after each sum. */
export function bertLayers(
  fields: ConfigFields,
  hiddenSize: number,
  normFacts: Norm,
): { readonly layers: readonly Layer[]; readonly nodes: readonly ModuleNode[] } {
  const facts: Layer = {
    mixer: softmaxAttention(fields, hiddenSize, {
      bias: allBias,
      causal: fields.flag('is_decoder', false),
      dropout: fields.number('attention_dropout', 0.1),
    }),
    cross: null,
    feedForward: gatedMlp(fields, {
      gated: false,
      bias: true,
      activation: fields.text('hidden_act', 'gelu'),
    }),
    norm: normFacts,
    placement: 'post',
    norms: 2,
  };
  return buildLayers(
    fields.layers(),
    () => facts,
    (layer) => bertBlock(layer, hiddenSize, normFacts),
  );
}

function bertBlock(layer: Layer, hiddenSize: number, normFacts: Norm): ModuleNode {
  const { attention: mixer, mlp: feedForward } = ordinaryParts(layer);
  const output = (inputs: number): ModuleNode[] => [
    linear('dense', inputs, hiddenSize, true),
    norm('LayerNorm', hiddenSize, normFacts),
  ];
  return block([
    group('attention', [
      attentionNode(mixer, hiddenSize, bertAttention),
      group('output', output(mixer.heads * mixer.headDim)),
    ]),
    group('intermediate', [linear('dense', hiddenSize, feedForward.width, true)]),
    group('output', output(feedForward.width)),
  ]);
}

function bertEmbeddings(
  fields: ConfigFields,
  width: number,
  normFacts: Norm,
  positionsLast: boolean,
): ModuleNode {
  const rows = fields.size('max_position_embeddings');
  const types = fields.count('type_vocab_size', 2);
  const words = embedding('word_embeddings', fields.size('vocab_size'), width);
  const positions = embedding('position_embeddings', rows, width);
  const tokenTypes = types === 0 ? null : embedding('token_type_embeddings', types, width);
  const last = norm('LayerNorm', width, normFacts);
  const node = group(
    'embeddings',
    positionsLast ? [words, tokenTypes, last, positions] : [words, positions, tokenTypes, last],
  );
  return withBuffers(node, [indexBuffer('position_ids', 1, rows), indexBuffer('token_type_ids', 1, rows)]);
}

/** BERT itself. */
export function readBert(fields: ConfigFields, modelClass: ModelClass): ReadArchitecture {
  return bertLike(fields, modelClass, {
    family: 'bert',
    base: 'bert',
    positionsLast: false,
    heads: 'bert',
    hasPooler: true,
  });
}
