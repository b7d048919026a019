import type { Backbone } from '../../model/backbone';
import { expertMixture } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { sparseLayers } from '../../model/sparseLayers';
import { qwenWindows } from '../../model/windows';
import { expertsFirst, mixed } from '../common/config/expertLayers';
import { windowed } from '../common/config/llamaAttention';
import { llamaBlock } from '../common/config/llamaBlock';
import { qwen3Attention } from '../qwen3/config';

/** Qwen3-MoE: Qwen3's attention, experts without an MLP beside them. */
export function readQwen3Moe(fields: ConfigFields): Backbone {
  return llamaBlock(fields, {
    family: 'qwen3_moe',
    mixer: windowed(fields, qwen3Attention(fields), qwenWindows(fields)),
    feedForward: mixed(
      fields,
      expertMixture(fields, { normalised: fields.flag('norm_topk_prob', false) }),
      sparseLayers(fields),
    ),
    experts: expertsFirst,
  });
}
