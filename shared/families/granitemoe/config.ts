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
import { biasFlag, windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';

/** Granite MoE; `shared_intermediate_size` above 0 puts an MLP beside the experts. */
export function readGraniteMoe(fields: ConfigFields): Backbone {
  const sharedWidth = fields.count('shared_intermediate_size', 0);
  const shared = sharedWidth === 0 ? null : gatedMlp(fields, { width: sharedWidth, fused: true });
  const moe = expertMixture(fields, {
    expertWidth: fields.size('intermediate_size'),
    shared: shared === null ? null : { mlp: shared, gate: false },
  });
  const experts = { ...mixtralExperts, module: 'block_sparse_moe', router: 'router' };
  const base = llamaBlock(fields, {
    family: 'granite_moe',
    mixer: windowed(fields, { bias: biasFlag(fields, 'attention_bias') }, constant(null)),
    feedForward: constant(moe),
    order: ['mixer', 'norms', 'feedForward'],
    ownNode: (part, hidden) =>
      part.kind === 'experts' ? expertsNode({ ...part, shared: null }, hidden, experts) : null,
    beside: (_layer, hidden) =>
      shared === null
        ? []
        : [
            mlpNode(shared, hidden, {
              ...llamaMlp,
              module: 'shared_mlp',
              fused: 'input_linear',
              down: 'output_linear',
            }),
          ],
    embeddingScale: fields.number('embedding_multiplier', 1),
    head: { scale: fields.number('logits_scaling', 1) },
  });
  return base;
}
