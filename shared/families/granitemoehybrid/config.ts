import type { FeedForward } from '../../model/architecture';
import type { Backbone } from '../../model/backbone';
import {
  expertMixture,
  expertsNode,
  gatedMlp,
  llamaMlp,
  mixtralExperts,
  mlpNode,
} from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { group } from '../../model/nodes';
import { llamaBlock } from '../common/config/llamaBlock';
import { mamba2Facts, mixerOf, stateNode } from '../common/config/mambaHybrid';

/** Granite 4: `layer_types` of mamba and attention; experts where there are any, and always an MLP beside them. */
export function readGraniteHybrid(fields: ConfigFields): Backbone {
  const hidden = fields.size('hidden_size');
  const types = fields.names('layer_types') ?? [];
  const state = mamba2Facts(fields);
  const experts = fields.count('num_experts', 0);
  const shared = gatedMlp(fields, { width: fields.sizeOr('shared_intermediate_size', 1024), fused: true });
  const moe: FeedForward =
    experts > 0
      ? expertMixture(fields, {
          expertWidth: fields.size('intermediate_size'),
          shared: { mlp: shared, gate: false },
        })
      : shared;
  const parts = mixerOf(fields, {
    isAttention: (index) => /attention$/.test(types[index] ?? '') && types[index] !== 'linear_attention',
    state,
    stateNode: stateNode(fields, state),
  });
  const sharedNode = mlpNode(shared, hidden, {
    ...llamaMlp,
    module: 'shared_mlp',
    fused: 'input_linear',
    down: 'output_linear',
  });
  const names = { ...mixtralExperts, module: 'block_sparse_moe', router: 'router' };
  return llamaBlock(fields, {
    family: 'granite_hybrid',
    ...parts,
    ...(fields.text('position_embedding_type', 'nope') === 'rope'
      ? {}
      : { positions: { kind: 'none' } as const }),
    feedForward: () => moe,
    order: ['norms', 'feedForward', 'mixer'],
    ownNode: (part, size) => {
      switch (part.kind) {
        case 'state-space':
          return stateNode(fields, state);
        case 'experts':
          return group('', [expertsNode({ ...part, shared: null }, size, names), sharedNode]);
        case 'mlp':
          return sharedNode;
        default:
          return null;
      }
    },
    embeddingScale: fields.number('embedding_multiplier', 1),
    head: { scale: fields.number('logits_scaling', 1) },
  });
}
