/** The language model of MiniMax M3: experts in most layers, and an indexer beside the attention of some. */
import type { FeedForward, Mixer } from '../../model/architecture';
import { attentionNode, softmaxAttention } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { expertMixture, expertsNode, gatedMlp, mixtralExperts } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { group, linear, norm } from '../../model/nodes';
import { gemmaNorm, rmsNorm } from '../../model/norms';
import { ropePositions } from '../../model/positions';
import { sparseLayers } from '../../model/sparseLayers';
import { headDim } from '../common/config/llamaAttention';
import { llamaBlock } from '../common/config/llamaBlock';

/** The language model alone, which some files describe under `minimax_m3`. */
export function readMinimaxM3Text(fields: ConfigFields): Backbone {
  const hidden = fields.size('hidden_size');
  const normFacts = fields.flag('use_gemma_norm', true) ? gemmaNorm : rmsNorm;
  const attention = softmaxAttention(fields, hidden, { queryKeyNorm: { over: 'head', norm: normFacts } });
  const sparse = sparseLayers(fields);
  const width = fields.size('intermediate_size');
  const sharedCount = fields.count('n_shared_experts', 1);
  const moe = expertMixture(fields, {
    expertWidth: width,
    routerScore: 'sigmoid',
    shared:
      sharedCount === 0
        ? null
        : {
            mlp: gatedMlp(fields, {
              width: sharedCount * fields.sizeOr('shared_intermediate_size', width),
              fused: true,
            }),
            gate: false,
          },
  });
  const dense = gatedMlp(fields, { width: fields.sizeOr('dense_intermediate_size', width), fused: true });
  const indexing = fields.part('sparse_attention_config');
  const isIndexed = indexedLayers(fields, indexing);
  const indexHeads = indexing?.optionalSize('sparse_num_index_heads') ?? fields.sizeOr('index_n_heads', 4);
  const indexDim = indexing?.optionalSize('sparse_index_dim') ?? fields.sizeOr('index_head_dim', 128);
  const indexer = group('indexer', [
    linear('q_proj', hidden, indexHeads * indexDim),
    linear('k_proj', hidden, indexDim),
    norm('q_norm', indexDim, normFacts),
    norm('k_norm', indexDim, normFacts),
  ]);
  const withoutIndexer = attentionNode(attention, hidden);
  return llamaBlock(fields, {
    family: 'minimax_m3',
    norm: normFacts,
    mixer: (index): Mixer => (isIndexed(index) ? { kind: 'other', name: 'indexed-attention' } : attention),
    feedForward: (index): FeedForward => (sparse(index) ? moe : dense),
    positions: ropePositions(fields, headDim(fields), { share: 0.5 }),
    ownNode: (part, size) => {
      if (part.kind === 'other')
        return { ...withoutIndexer, children: [...withoutIndexer.children, indexer] };
      return part.kind === 'experts'
        ? expertsNode(part, size, { ...mixtralExperts, correction: 'buffer' })
        : null;
    },
  });
}

/** Layers with an indexer: by `layer_types`, or as the published file says it; none where neither is there. */
function indexedLayers(fields: ConfigFields, indexing: ConfigFields | null): (index: number) => boolean {
  const types = fields.names('layer_types');
  if (types !== null) return (index) => types[index] === 'minimax_m3_sparse';
  const frequency = indexing?.wholes('sparse_attention_freq') ?? [];
  return (index) => frequency[index] === 1;
}
