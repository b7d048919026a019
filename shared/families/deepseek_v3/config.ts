import type { Backbone } from '../../model/backbone';
import { expertGroups } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { isNormalised, latentMixture } from '../common/config/latentMixture';

/**
 * DeepSeek V3 and Kimi K2. The correction of the router's scores is counted as a parameter, as the published class and
 * its files have it; transformers 5 keeps it as a buffer. It is never trained by gradient.
 */
export function readDeepseekV3(fields: ConfigFields): Backbone {
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
export function readLatentGlm(fields: ConfigFields): Backbone {
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
export function readMistral4(fields: ConfigFields): Backbone {
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
