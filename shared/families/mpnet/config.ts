import { attentionNode, llamaAttention } from '../../model/attention';
import type { ReadArchitecture } from '../../model/decoderClasses';
import type { ConfigFields } from '../../model/configFields';
import { buildLayers } from '../../model/layers';
import type { ModelClass } from '../../model/modelClass';
import { block, embedding, group, indexBuffer, linear, list, norm, withBuffers } from '../../model/nodes';
import { encoderModel } from '../common/config/encoderClasses';
import { bertFacts, tokenStack, widthOf } from '../common/config/tokenEncoder';

/** MPNet: BERT with one table of relative distances for all layers. */
export function readMpnet(fields: ConfigFields, modelClass: ModelClass): ReadArchitecture {
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
