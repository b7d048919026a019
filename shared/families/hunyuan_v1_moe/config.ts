import { llamaAttention } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { expertMixture, expertsNode, gatedMlp, mixtralExperts } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { group, linear } from '../../model/nodes';
import { withRouter } from '../common/config/expertLayers';
import { windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';
import { hunyuanAttention } from '../hunyuan_v1_dense/config';

/** Hunyuan-Large and A13B: one shared MLP as wide as an expert. */
export function readHunyuanMoe(fields: ConfigFields): Backbone {
  const moe = expertMixture(fields, {
    expertWidth: fields.size('intermediate_size'),
    shared: { mlp: gatedMlp(fields), gate: false },
  });
  return llamaBlock(fields, {
    family: 'hunyuan_v1_moe',
    mixer: windowed(fields, hunyuanAttention(fields), constant(null)),
    attention: { ...llamaAttention, queryNorm: 'query_layernorm', keyNorm: 'key_layernorm' },
    feedForward: constant(moe),
    ownNode: (part, hidden) =>
      part.kind === 'experts'
        ? withRouter(expertsNode(part, hidden, { ...mixtralExperts, shared: 'shared_mlp' }), [
            group('gate', [linear('wg', hidden, part.experts)]),
          ])
        : null,
  });
}
