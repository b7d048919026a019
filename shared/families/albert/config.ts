import { attentionNode, llamaAttention } from '../../model/attention';
import type { ReadArchitecture } from '../../model/decoderClasses';
import type { ConfigFields } from '../../model/configFields';
import type { ModelClass } from '../../model/modelClass';
import type { ModuleNode } from '../../model/modules';
import { block, embedding, group, indexBuffer, linear, list, norm, withBuffers } from '../../model/nodes';
import { bertDropout } from '../bert/config';
import { encoderModel } from '../common/config/encoderClasses';
import { bertFacts, tokenStack, widthOf } from '../common/config/tokenEncoder';

/** ALBERT: narrow tables, and one block (or a few groups) that all layers share. */
export function readAlbert(fields: ConfigFields, modelClass: ModelClass): ReadArchitecture {
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
