/** Decoders with multi-head latent attention: DeepSeek V2 and V3, and those built after them. */
import type { FeedForward, LatentAttention, MixtureOfExperts } from '../architecture';
import { latentAttention, latentNode } from '../attention';
import type { Backbone } from '../backbone';
import { expertGroups, expertMixture, gatedMlp, mixtralExperts, type ExpertNames } from '../feedForward';
import type { Fields } from '../fields';
import type { ModuleNode } from '../modules';
import { group, linear, norm } from '../nodes';
import { layerNorm, rmsNorm } from '../norms';
import { ropePositions } from '../positions';
import { sparseLayers } from '../sparseLayers';
import { constant, llamaBlock, type LlamaChanges } from './llamaBlock';
import { sharedMlp } from './moe';

const isNormalised = (fields: Fields): boolean => fields.flag('norm_topk_prob', true);

const deepseekExperts: ExpertNames = {
  ...mixtralExperts,
  order: ['experts', 'router', 'shared'],
};

interface LatentStyle {
  readonly family: string;
  readonly routerScore: 'softmax' | 'sigmoid';
  readonly correction: ExpertNames['correction'];
  readonly normalised: boolean;
  readonly groups: MixtureOfExperts['groups'];
  readonly firstDense: number;
  readonly sharedExperts: number;
  /** Biases of the MLPs, where a switch for them is heeded. */
  readonly mlpBias?: boolean;
}

function latentMixture(fields: Fields, style: LatentStyle, changes: Partial<LlamaChanges> = {}): Backbone {
  const attention = latentAttention(fields);
  const sparse = sparseLayers(fields, style.firstDense);
  const bias = style.mlpBias ?? false;
  const feedForward = (index: number): FeedForward =>
    sparse(index)
      ? expertMixture(fields, {
          routerScore: style.routerScore,
          normalised: style.normalised,
          groups: style.groups,
          shared: sharedMlp(fields, fields.count('n_shared_experts', style.sharedExperts), bias),
        })
      : gatedMlp(fields, { bias });
  return llamaBlock(fields, {
    family: style.family,
    mixer: constant(attention),
    feedForward,
    experts: { ...deepseekExperts, correction: style.correction },
    positions: ropePositions(fields, attention.rotaryHeadDim, {
      share: 1,
      interleaved: fields.flag('rope_interleave', true),
    }),
    ...changes,
  });
}

/** DeepSeek V2: softmax routing, from groups unless it is greedy. */
export function deepseekV2(fields: Fields): Backbone {
  return latentMixture(fields, {
    family: 'deepseek_v2',
    routerScore: 'softmax',
    // Its router does not divide, whatever the file says.
    normalised: false,
    groups: fields.text('topk_method', 'greedy') === 'greedy' ? null : expertGroups(fields, 1, 1),
    correction: 'none',
    firstDense: 0,
    sharedExperts: 2,
    mlpBias: fields.flag('mlp_bias', false),
  });
}

/**
 * DeepSeek V3 and Kimi K2. The correction of the router's scores is counted as a parameter, as the published class and
 * its files have it; transformers 5 keeps it as a buffer. It is never trained by gradient.
 */
export function deepseekV3(fields: Fields): Backbone {
  return latentMixture(fields, {
    family: 'deepseek_v3',
    routerScore: 'sigmoid',
    normalised: isNormalised(fields),
    groups: expertGroups(fields, 8, 4),
    correction: 'parameter',
    firstDense: 3,
    sharedExperts: 1,
  });
}

/** GLM 4.7 Flash and Mistral 4: DeepSeek V3's block as transformers has it, with the correction as a buffer. */
export function latentGlm(fields: Fields): Backbone {
  return latentMixture(fields, {
    family: 'deepseek_v3',
    routerScore: 'sigmoid',
    normalised: isNormalised(fields),
    groups: expertGroups(fields, 1, 1),
    correction: 'buffer',
    firstDense: 1,
    sharedExperts: 1,
  });
}

/** Mistral 4: latent attention, softmax routing without a correction. */
export function mistral4(fields: Fields): Backbone {
  return latentMixture(fields, {
    family: 'deepseek_v3',
    routerScore: 'softmax',
    normalised: isNormalised(fields),
    groups: expertGroups(fields, 1, 1),
    correction: 'none',
    firstDense: 0,
    sharedExperts: 1,
  });
}

/** DeepSeek V3.2 and GLM 5: an indexer beside the attention chooses which tokens it looks at. */
export function deepseekSparse(fields: Fields): Backbone {
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
  fields: Fields,
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

/** Dense decoders with latent attention: MiniCPM3 and Youtu. */
export function latentDense(fields: Fields): Backbone {
  const attention = latentAttention(fields);
  const scale = fields.number('scale_emb', null);
  return llamaBlock(fields, {
    family: 'latent_dense',
    mixer: constant(attention),
    feedForward: constant(gatedMlp(fields, { bias: fields.flag('mlp_bias', false) })),
    positions: ropePositions(fields, attention.rotaryHeadDim),
    embeddingScale: scale,
    embeddingScaleIsBuffer: scale !== null,
    head: { tied: true },
  });
}
