import { allBias, attentionNode, llamaAttention, noBias, softmaxAttention } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import type { ConfigFields } from '../../model/configFields';
import { ordinaryParts } from '../../model/layers';
import { block, embedding, group, linear, list, norm } from '../../model/nodes';
import { layerNorm, layerNormWithoutParameters } from '../../model/norms';
import { layerFacts, plainDecoder, plainMlp } from '../common/config/plainDecoder';

/** OPT: learned positions shifted by two; the 350M model has narrow tables and norms after each sum. */
export function readOpt(fields: ConfigFields): Backbone {
  const hidden = fields.size('hidden_size');
  const width = fields.sizeOr('word_embed_proj_dim', hidden);
  const bias = fields.flag('enable_bias', true);
  const normFacts = fields.flag('layer_norm_elementwise_affine', true)
    ? layerNorm
    : layerNormWithoutParameters;
  const before = fields.flag('do_layer_norm_before', true);
  const rows = fields.sizeOr('max_position_embeddings', 2048) + 2;
  const attention = softmaxAttention(fields, hidden, { bias: bias ? allBias : noBias });
  const facts = layerFacts(attention, plainMlp(fields, 'relu', bias), normFacts);
  const dropout = fields.number('dropout', 0.1);
  const hasFinalNorm = before && !fields.flag('_remove_final_layer_norm', false);
  const backbone = plainDecoder(fields, {
    family: 'opt',
    positions: { kind: 'learned' },
    norm: normFacts,
    layerOf: () => ({ ...facts, placement: before ? 'pre' : 'post' }),
    blockOf: (layer) => {
      const { mlp } = ordinaryParts(layer);
      const names = { ...llamaAttention, output: 'out_proj' };
      return block([
        attentionNode(attention, hidden, { ...names, order: ['key', 'value', 'query', 'output'] }),
        norm('self_attn_layer_norm', hidden, normFacts),
        linear('fc1', hidden, mlp.width, bias),
        linear('fc2', mlp.width, hidden, bias),
        norm('final_layer_norm', hidden, normFacts),
      ]);
    },
    children: (blocks, _hidden, vocabulary) => [
      group('decoder', [
        embedding('embed_tokens', vocabulary, width),
        embedding('embed_positions', rows, hidden),
        width === hidden ? null : linear('project_out', hidden, width),
        width === hidden ? null : linear('project_in', width, hidden),
        hasFinalNorm ? norm('final_layer_norm', hidden, normFacts) : null,
        list('layers', blocks),
      ]),
    ],
    tokenTable: 'decoder.embed_tokens',
    head: { base: 'model', tied: true },
    embeddingSize: width,
    dropout: { embedding: dropout, residual: dropout, layer: fields.number('layerdrop', 0) },
  });
  const { stack } = backbone;
  return {
    ...backbone,
    stack: { ...stack, path: 'decoder', finalNorm: hasFinalNorm ? normFacts : null },
  };
}
