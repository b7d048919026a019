import { attentionNode, llamaAttention } from '../../model/attention';
import type { ReadArchitecture } from '../../model/decoderClasses';
import type { ConfigFields } from '../../model/configFields';
import { buildLayers } from '../../model/layers';
import type { ModelClass } from '../../model/modelClass';
import { block, embedding, group, indexBuffer, linear, list, norm, withBuffers } from '../../model/nodes';
import { encoderModel } from '../common/config/encoderClasses';
import { bertFacts, tokenStack, widthOf } from '../common/config/tokenEncoder';

/** DistilBERT: BERT's block under other names, without token types and pooler. */
export function readDistilbert(fields: ConfigFields, modelClass: ModelClass): ReadArchitecture {
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
