import type { Backbone } from '../../model/backbone';
import { gatedMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { qwenWindows } from '../../model/windows';
import { biasFlag, windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';

/** SmolLM3: every fourth layer has no positions (`no_rope_layers` lists 0 for those). */
export function readSmollm3(fields: ConfigFields): Backbone {
  const flags = fields.wholes('no_rope_layers');
  const interval = fields.sizeOr('no_rope_layer_interval', 4);
  const mixer = windowed(fields, { bias: biasFlag(fields, 'attention_bias') }, qwenWindows(fields));
  return llamaBlock(fields, {
    family: 'smollm3',
    mixer: (index) => ({
      ...mixer(index),
      positions: flags === null ? (index + 1) % interval !== 0 : flags[index] !== 0,
    }),
    feedForward: constant(gatedMlp(fields, { bias: fields.flag('mlp_bias', false) })),
    head: { tied: true },
  });
}
