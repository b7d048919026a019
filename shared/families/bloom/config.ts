import { allBias, attentionNode, softmaxAttention } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { mlpNode } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { ordinaryParts } from '../../model/layers';
import { block, embedding, list, norm } from '../../model/nodes';
import { layerNorm } from '../../model/norms';
import { falconAttention } from '../common/config/falconAttention';
import { neoxMlp } from '../common/config/neoxMlp';
import { layerFacts, plainDecoder, plainMlp } from '../common/config/plainDecoder';

/** BLOOM: ALiBi, a norm right after the token table. */
export function readBloom(fields: ConfigFields): Backbone {
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
