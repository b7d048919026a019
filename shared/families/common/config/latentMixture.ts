import type { FeedForward, MixtureOfExperts } from '../../../model/architecture';
import { latentAttention } from '../../../model/attention';
import type { Backbone } from '../../../model/backbone';
import { type ExpertNames, expertMixture, gatedMlp, mixtralExperts } from '../../../model/feedForward';
import type { ConfigFields } from '../../../model/configFields';
import { ropePositions } from '../../../model/positions';
import { sparseLayers } from '../../../model/sparseLayers';
import { sharedMlp } from './expertLayers';
import { type LlamaChanges, constant, llamaBlock } from './llamaBlock';

export const isNormalised = (fields: ConfigFields): boolean => fields.flag('norm_topk_prob', true);

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

export function latentMixture(
  fields: ConfigFields,
  style: LatentStyle,
  changes: Partial<LlamaChanges> = {},
): Backbone {
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
