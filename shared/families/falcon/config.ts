import type { SoftmaxAttention } from '../../model/architecture';
import { allBias, attentionNode, noBias, softmaxAttention } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { mlpNode } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { ordinaryParts } from '../../model/layers';
import { block, embedding, list, norm, rotary } from '../../model/nodes';
import { layerNorm } from '../../model/norms';
import { ropePositions } from '../../model/positions';
import { falconAttention } from '../common/config/falconAttention';
import { neoxMlp } from '../common/config/neoxMlp';
import { layerFacts, plainDecoder, plainMlp } from '../common/config/plainDecoder';

/** Falcon: one key head (7B), a few (40B, 180B) or all (RW); attention and MLP side by side except in the oldest. */
export function readFalcon(fields: ConfigFields): Backbone {
  const hidden = fields.size('hidden_size');
  const isNew = fields.flag('new_decoder_architecture', false);
  const parallel = fields.flag('parallel_attn', true);
  const bias = fields.flag('bias', false);
  const heads = fields.size('num_attention_heads');
  const keyValueHeads = isNew
    ? fields.sizeOr('num_key_value_heads', heads)
    : fields.flag('multi_query', true)
      ? 1
      : heads;
  const attention: SoftmaxAttention = {
    ...softmaxAttention(fields, hidden, { projection: 'fused', bias: bias ? allBias : noBias }),
    keyValueHeads,
  };
  const norms = falconNorms(fields, isNew, parallel);
  const facts = layerFacts(attention, plainMlp(fields, 'gelu', bias), layerNorm, parallel, norms.length);
  const alibi = fields.flag('alibi', false);
  const dropout = fields.number('hidden_dropout', 0);
  return plainDecoder(fields, {
    family: 'falcon',
    positions: alibi ? { kind: 'alibi' } : ropePositions(fields, attention.headDim),
    norm: layerNorm,
    layerOf: () => facts,
    blockOf: (layer) =>
      block([
        attentionNode(attention, hidden, falconAttention),
        mlpNode(ordinaryParts(layer).mlp, hidden, neoxMlp),
        ...norms.map((name) => norm(name, hidden, layerNorm)),
      ]),
    children: (blocks, _hidden, vocabulary) => [
      embedding('word_embeddings', vocabulary, hidden),
      list('h', blocks),
      norm('ln_f', hidden, layerNorm),
      // Made with ALiBi, too.
      rotary('rotary_emb', attention.headDim),
    ],
    tokenTable: 'word_embeddings',
    head: { tied: true },
    dropout: { residual: dropout },
  });
}

function falconNorms(fields: ConfigFields, isNew: boolean, parallel: boolean): readonly string[] {
  if (!parallel) return ['post_attention_layernorm', 'input_layernorm'];
  const count = fields.sizeOr('num_ln_in_parallel_attn', isNew ? 2 : 1);
  return count === 2 ? ['ln_attn', 'ln_mlp'] : ['input_layernorm'];
}
