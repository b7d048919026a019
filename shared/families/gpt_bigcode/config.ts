import { allBias, llamaAttention, softmaxAttention } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { llamaMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { embedding, list, maskBuffer, norm } from '../../model/nodes';
import { layerNorm } from '../../model/norms';
import { gptDropout } from '../common/config/gptDropout';
import { gptBlock, layerFacts, plainDecoder, plainMlp } from '../common/config/plainDecoder';

/** GPT-BigCode (SantaCoder, StarCoder): GPT-2 with one key and value head where `multi_query`. */
export function readGptBigCode(fields: ConfigFields): Backbone {
  const rows = fields.sizeOr('max_position_embeddings', 1024);
  const multiQuery = fields.flag('multi_query', true);
  const base = softmaxAttention(fields, fields.size('hidden_size'), {
    bias: allBias,
    projection: 'fused',
    dropout: fields.number('attention_dropout', 0.1),
  });
  const attention = { ...base, keyValueHeads: multiQuery ? 1 : base.heads };
  const facts = layerFacts(attention, plainMlp(fields, 'gelu_pytorch_tanh'), layerNorm);
  return plainDecoder(fields, {
    family: 'gpt_bigcode',
    positions: { kind: 'learned' },
    norm: layerNorm,
    layerOf: () => facts,
    blockOf: gptBlock(
      { ...llamaAttention, module: 'attn', fused: 'c_attn', output: 'c_proj' },
      { ...llamaMlp, up: 'c_fc', down: 'c_proj' },
      ['ln_1', 'ln_2'],
    ),
    children: (blocks, hidden, vocabulary) => [
      embedding('wte', vocabulary, hidden),
      embedding('wpe', rows, hidden),
      list('h', blocks),
      norm('ln_f', hidden, layerNorm),
    ],
    ownBuffers: [maskBuffer('bias', rows, rows)],
    tokenTable: 'wte',
    head: { tied: true },
    dropout: gptDropout(fields),
  });
}
