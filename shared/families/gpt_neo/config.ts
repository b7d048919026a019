import { attentionNode, noBias, softmaxAttention } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { llamaMlp, mlpNode } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { ordinaryParts } from '../../model/layers';
import { block, embedding, group, list, maskBuffer, norm, withBuffers } from '../../model/nodes';
import { layerNorm } from '../../model/norms';
import { gptDropout } from '../common/config/gptDropout';
import { layerFacts, plainDecoder, plainMlp } from '../common/config/plainDecoder';
import { splitAttention } from '../common/config/splitAttention';

/** GPT-Neo: every other layer sees only a window; no bias on query, key and value. */
export function readGptNeo(fields: ConfigFields): Backbone {
  const rows = fields.sizeOr('max_position_embeddings', 2048);
  const attention = softmaxAttention(fields, fields.size('hidden_size'), {
    bias: { ...noBias, output: true },
  });
  const kinds = fields.list('attention_layers');
  const window = fields.sizeOr('window_size', 256);
  const local = (index: number): boolean => (kinds === null ? index % 2 === 1 : kinds[index] === 'local');
  const mlp = plainMlp(fields, 'gelu_new');
  return plainDecoder(fields, {
    family: 'gpt_neo',
    positions: { kind: 'learned' },
    norm: layerNorm,
    layerOf: (index) => layerFacts({ ...attention, window: local(index) ? window : null }, mlp, layerNorm),
    blockOf: (layer, hidden) => {
      const facts = ordinaryParts(layer);
      const inner = attentionNode(facts.attention, hidden, { ...splitAttention, module: 'attention' });
      return block([
        norm('ln_1', hidden, layerNorm),
        group('attn', [withBuffers(inner, [maskBuffer('bias', 1, 1, rows, rows)])]),
        norm('ln_2', hidden, layerNorm),
        mlpNode(facts.mlp, hidden, { ...llamaMlp, up: 'c_fc', down: 'c_proj' }),
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
