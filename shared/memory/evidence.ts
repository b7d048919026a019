/** What an answer rests on, from which its interval follows. */
import type { GpuModel } from '../gpu/models';
import type { Architecture } from '../model/architecture';
import { isMeasured } from './assumptions';
import { hasExperts } from './check';
import { forwardFor } from './chooseForward';
import type { EstimateRequest, TrainingStack } from './configuration';
import {
  otherCardResiduals,
  otherCodeResiduals,
  type PublishedResiduals,
  quantizedExpertsResiduals,
  transformersResiduals,
} from './publishedResiduals';

/**
 * `measured`: rows on this stack and this kind of card cover the configuration; `documented`: the configuration follows from documents;
 * `published`: card, stack or the model's code is another, and all that is known is how far figures that other people published lie from
 * such answers.
 */
export type Evidence =
  | { readonly kind: 'measured' }
  | { readonly kind: 'documented' }
  | { readonly kind: 'published'; readonly residuals: PublishedResiduals };

export function evidenceOf(architecture: Architecture, request: EstimateRequest, card: GpuModel): Evidence {
  const { isTraced, ownCode } = forwardFor(architecture);
  const { stack = 'headroom', training } = request;
  const code = codeOf[stack];
  if (!ownCode || isNearest(architecture) || code === 'other')
    return { kind: 'published', residuals: otherCodeResiduals };
  if (code === 'transformers') {
    const quantizesExperts = training.method.kind === 'qlora' && hasExperts(architecture.stacks);
    const residuals = quantizesExperts ? quantizedExpertsResiduals : transformersResiduals;
    return { kind: 'published', residuals };
  }
  if (!card.measured && isMeasured(request)) return { kind: 'published', residuals: otherCardResiduals };
  return { kind: card.measured && isTraced && isMeasured(request) ? 'measured' : 'documented' };
}

/** Whose code a stack runs: transformers' in the versions that were measured, in any version, or its own. */
const codeOf: Readonly<Record<TrainingStack, 'measured' | 'transformers' | 'other'>> = {
  headroom: 'measured',
  trainer: 'transformers',
  trl: 'transformers',
  'llama-factory': 'transformers',
  axolotl: 'transformers',
  unsloth: 'other',
  torchtune: 'other',
  litgpt: 'other',
};

/** True where the reader took the model for the nearest one that it knows, which is not the one that was measured. */
const isNearest = ({ warnings }: Architecture): boolean =>
  warnings.some(({ key }) => key.startsWith('model.nearest') || key === 'model.textOnly');
