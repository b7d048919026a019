import type { LatentAttention } from '../../model/architecture';
import { latentAttention, latentNode } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { expertGroups } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import type { ModuleNode } from '../../model/modules';
import { group, linear, norm } from '../../model/nodes';
import { layerNorm, rmsNorm } from '../../model/norms';
import { isNormalised, latentMixture } from '../common/config/latentMixture';

/** DeepSeek V3.2 and GLM 5: an indexer beside the attention chooses which tokens it looks at. */
export function readDeepseekSparse(fields: ConfigFields): Backbone {
  const attention = latentAttention(fields);
  const hiddenSize = fields.size('hidden_size');
  const isDeepseek = fields.text('model_type', 'deepseek_v32') === 'deepseek_v32';
  const types = fields.names('indexer_types');
  const withIndexer = sparseAttentionNode(fields, attention, hiddenSize, true);
  const without = sparseAttentionNode(fields, attention, hiddenSize, false);
  return latentMixture(
    fields,
    {
      family: 'deepseek_v32',
      routerScore: 'sigmoid',
      normalised: isNormalised(fields),
      groups: isDeepseek ? expertGroups(fields, 8, 4) : expertGroups(fields, 1, 1),
      correction: isDeepseek ? 'parameter' : 'buffer',
      firstDense: 3,
      sharedExperts: 1,
    },
    {
      mixer: (index) => ({
        kind: 'other',
        name: types?.[index] === 'shared' ? 'sparse-latent-attention' : 'indexed-latent-attention',
      }),
      ownNode: (part) =>
        part.kind !== 'other' ? null : part.name === 'sparse-latent-attention' ? without : withIndexer,
    },
  );
}

function sparseAttentionNode(
  fields: ConfigFields,
  attention: LatentAttention,
  hiddenSize: number,
  hasIndexer: boolean,
): ModuleNode {
  const size = fields.sizeOr('index_head_dim', 128);
  const heads = fields.sizeOr('index_n_heads', 64);
  const indexer = group('indexer', [
    linear('wq_b', attention.queryRank ?? hiddenSize, heads * size),
    linear('wk', hiddenSize, size),
    norm('k_norm', size, layerNorm),
    linear('weights_proj', hiddenSize, heads),
  ]);
  return latentNode(attention, hiddenSize, rmsNorm, hasIndexer ? [indexer] : []);
}
