/** ModernBERT: rope, gated MLPs, norms before each branch and without bias; most layers see a window. */
import type { Layer } from '../../model/architecture';
import { allBias, attentionNode, llamaAttention, noBias, softmaxAttention } from '../../model/attention';
import type { ReadArchitecture } from '../../model/decoderClasses';
import { tokenInputs } from '../../model/facts';
import { gatedMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { buildLayers } from '../../model/layers';
import type { ModelClass } from '../../model/modelClass';
import { block, embedding, group, linear, list, norm, rotary } from '../../model/nodes';
import { layerNorm, layerNormWithoutBias } from '../../model/norms';
import { encoderModel } from '../common/config/encoderClasses';

/** ModernBERT under the head of its class. */
export function readModernBert(fields: ConfigFields, modelClass: ModelClass): ReadArchitecture {
  const hidden = fields.size('hidden_size');
  const normFacts = fields.flag('norm_bias', false) ? layerNorm : layerNormWithoutBias;
  const attentionBias = fields.flag('attention_bias', false);
  const attention = softmaxAttention(fields, hidden, {
    bias: attentionBias ? allBias : noBias,
    projection: 'fused',
    causal: false,
  });
  const mlp = gatedMlp(fields, {
    fused: true,
    bias: fields.flag('mlp_bias', false),
    activation: fields.text('hidden_act', 'gelu'),
  });
  const every = fields.sizeOr('global_attn_every_n_layers', 3);
  const window = fields.sizeOr('local_attention', 128);
  const { layers, nodes } = buildLayers(
    fields.layers(),
    (index): Layer => ({
      mixer: { ...attention, window: index % every === 0 ? null : window },
      cross: null,
      feedForward: mlp,
      norm: normFacts,
      placement: 'pre',
      // The first block reads the normed embeddings and has no norm of its own before attention.
      norms: index === 0 ? 1 : 2,
    }),
    (layer) =>
      block([
        layer.norms === 2 ? norm('attn_norm', hidden, normFacts) : null,
        attentionNode(attention, hidden, { ...llamaAttention, module: 'attn', fused: 'Wqkv', output: 'Wo' }),
        norm('mlp_norm', hidden, normFacts),
        group('mlp', [
          linear('Wi', hidden, 2 * mlp.width, mlp.bias),
          linear('Wo', mlp.width, hidden, mlp.bias),
        ]),
      ]),
  );
  const vocabularySize = fields.size('vocab_size');
  return encoderModel(
    {
      family: 'modernbert',
      base: 'model',
      stack: {
        role: 'encoder',
        path: '',
        hiddenSize: hidden,
        inputs: tokenInputs(vocabularySize, hidden, { norm: normFacts }),
        positions: {
          kind: 'rope',
          rotaryDim: attention.headDim,
          interleaved: false,
        },
        layers,
        finalNorm: normFacts,
        maxPositions: fields.optionalSize('max_position_embeddings'),
        dropout: {
          embedding: fields.number('embedding_dropout', 0),
          residual: 0,
          activation: fields.number('mlp_dropout', 0),
          layer: 0,
        },
      },
      activation: fields.text('hidden_act', 'gelu'),
      norm: normFacts,
      children: [
        group('embeddings', [
          embedding('tok_embeddings', vocabularySize, hidden),
          norm('norm', hidden, normFacts),
        ]),
        list('layers', nodes),
        norm('final_norm', hidden, normFacts),
        rotary('rotary_emb', attention.headDim, ['full_attention', 'sliding_attention']),
      ],
      tokenTable: 'embeddings.tok_embeddings.weight',
      tied: fields.flag('tie_word_embeddings', true),
      pooler: null,
      classifierDropout: fields.number('classifier_dropout', 0),
      modernBias: {
        head: fields.flag('classifier_bias', false),
        decoder: fields.flag('decoder_bias', true),
      },
      poolsByMean: fields.text('classifier_pooling', 'cls') === 'mean',
    },
    modelClass,
    'modernbert',
  );
}
