import { allBias, softmaxAttention } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import type { ConfigFields } from '../../model/configFields';
import { ordinaryParts } from '../../model/layers';
import { block, conv1d, embedding, group, list, norm } from '../../model/nodes';
import { layerNorm } from '../../model/norms';
import { gptDropout } from '../common/config/gptDropout';
import { layerFacts, plainDecoder, plainMlp } from '../common/config/plainDecoder';

/** GPT-2: learned positions, transposed linear layers, everything with a bias. */
export function readGpt2(fields: ConfigFields): Backbone {
  const rows = fields.sizeOr('max_position_embeddings', 1024);
  const attention = softmaxAttention(fields, fields.size('hidden_size'), {
    bias: allBias,
    projection: 'fused',
    dropout: fields.number('attention_dropout', 0.1),
  });
  const facts = layerFacts(attention, plainMlp(fields, 'gelu_new'), layerNorm);
  return plainDecoder(fields, {
    family: 'gpt2',
    positions: { kind: 'learned' },
    norm: layerNorm,
    layerOf: () => facts,
    blockOf: (layer, hidden) => {
      const { mlp } = ordinaryParts(layer);
      return block([
        norm('ln_1', hidden, layerNorm),
        group('attn', [conv1d('c_attn', hidden, 3 * hidden), conv1d('c_proj', hidden, hidden)]),
        norm('ln_2', hidden, layerNorm),
        group('mlp', [conv1d('c_fc', hidden, mlp.width), conv1d('c_proj', mlp.width, hidden)]),
      ]);
    },
    children: (blocks, hidden, vocabulary) => [
      embedding('wte', vocabulary, hidden),
      embedding('wpe', rows, hidden),
      list('h', blocks),
      norm('ln_f', hidden, layerNorm),
    ],
    tokenTable: 'wte',
    head: { tied: true },
    dropout: gptDropout(fields),
  });
}
