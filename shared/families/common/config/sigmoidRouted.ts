import type { Backbone } from '../../../model/backbone';
import { expertGroups, expertMixture } from '../../../model/feedForward';
import type { ConfigFields } from '../../../model/configFields';
import { ropePositions } from '../../../model/positions';
import { sparseLayers } from '../../../model/sparseLayers';
import { slidingWindows } from '../../../model/windows';
import { expertsFirst, mixed, sharedMlp } from './expertLayers';
import { headDim, windowed } from './llamaAttention';
import { llamaBlock } from './llamaBlock';

/** GLM-4.5 and 4.6, dots.1, Solar Open: sigmoid routing as DeepSeek V3 has it, over ordinary attention. */
export function sigmoidRouted(
  fields: ConfigFields,
  family: string,
  firstDense: number,
  attention: Parameters<typeof windowed>[1],
  share: number,
): Backbone {
  const moe = expertMixture(fields, {
    routerScore: 'sigmoid',
    normalised: fields.flag('norm_topk_prob', family !== 'dots1'),
    groups: expertGroups(fields, 1, 1),
    shared: sharedMlp(fields, fields.count('n_shared_experts', 1)),
  });
  return llamaBlock(fields, {
    family,
    mixer: windowed(fields, attention, slidingWindows(fields, null)),
    feedForward: mixed(fields, moe, sparseLayers(fields, firstDense)),
    experts: { ...expertsFirst, correction: 'buffer' },
    positions: ropePositions(fields, attention.headDim ?? headDim(fields), { share }),
  });
}
