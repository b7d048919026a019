import type { Backbone } from '../../model/backbone';
import { expertGroups, expertMixture } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { rmsNorm } from '../../model/norms';
import { sparseLayers } from '../../model/sparseLayers';
import { slidingWindows, windowPattern } from '../../model/windows';
import { expertsFirst, mixed, sharedMlp } from '../common/config/expertLayers';
import { windowed } from '../common/config/llamaAttention';
import { llamaBlock } from '../common/config/llamaBlock';

/** EXAONE MoE: EXAONE 4's attention before its norms, DeepSeek's routing. */
export function readExaoneMoe(fields: ConfigFields): Backbone {
  const moe = expertMixture(fields, {
    routerScore: 'sigmoid',
    groups: expertGroups(fields, 1, 1),
    shared: sharedMlp(fields, fields.count('num_shared_experts', 1)),
  });
  return llamaBlock(fields, {
    family: 'exaone_moe',
    mixer: windowed(
      fields,
      { queryKeyNorm: { over: 'head', norm: rmsNorm } },
      slidingWindows(fields, windowPattern(fields, 4)),
    ),
    feedForward: mixed(fields, moe, sparseLayers(fields, 1)),
    experts: { ...expertsFirst, correction: 'buffer' },
  });
}
