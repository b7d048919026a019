import type { FeedForward } from '../../model/architecture';
import type { Backbone } from '../../model/backbone';
import { expertMixture, gatedMlp, llamaMlp, mixtralExperts } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { slidingWindows } from '../../model/windows';
import { biasFlag, windowed } from '../common/config/llamaAttention';
import { llamaBlock } from '../common/config/llamaBlock';

/** Every `interleave_moe_layer_step`-th layer has experts; every fourth has no positions and sees everything. */
export function readLlama4Text(fields: ConfigFields): Backbone {
  const listed = fields.wholes('moe_layers');
  const step = fields.sizeOr('interleave_moe_layer_step', 1);
  const isSparse = (index: number): boolean =>
    listed === null ? (index + 1) % step === 0 : listed.includes(index);
  const width = fields.size('intermediate_size');
  const moe = expertMixture(fields, {
    expertWidth: width,
    routerScore: 'sigmoid',
    shared: { mlp: gatedMlp(fields), gate: false },
  });
  const dense = gatedMlp(fields, { width: fields.sizeOr('intermediate_size_mlp', width) });
  const flags = fields.wholes('no_rope_layers') ?? [];
  const interval = fields.sizeOr('no_rope_layer_interval', 4);
  const hasPositions = (index: number): boolean =>
    flags.length === 0 ? (index + 1) % interval !== 0 : flags[index] !== 0;
  const windows = slidingWindows(fields, interval);
  const attention = windowed(fields, { bias: biasFlag(fields, 'attention_bias') }, windows);
  return llamaBlock(fields, {
    family: 'llama4',
    mixer: (index) => ({ ...attention(index), positions: hasPositions(index) }),
    feedForward: (index): FeedForward => (isSparse(index) ? moe : dense),
    mlp: { ...llamaMlp, module: 'feed_forward' },
    experts: {
      ...mixtralExperts,
      module: 'feed_forward',
      router: 'router',
      shared: 'shared_expert',
      order: ['experts', 'router', 'shared'],
      inputsFirst: true,
    },
  });
}
