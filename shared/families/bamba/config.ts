import type { Backbone } from '../../model/backbone';
import { gatedMlp, llamaMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { ropePositions } from '../../model/positions';
import { headDim } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';
import { mamba2Facts, mixerOf, stateNode } from '../common/config/mambaHybrid';

/** Bamba: attention in `attn_layer_indices`. */
export function readBamba(fields: ConfigFields): Backbone {
  const listed = new Set(fields.wholes('attn_layer_indices') ?? []);
  const state = mamba2Facts(fields);
  return llamaBlock(fields, {
    family: 'bamba',
    ...mixerOf(fields, {
      isAttention: (index) => listed.has(index),
      state,
      stateNode: stateNode(fields, state),
    }),
    feedForward: constant(gatedMlp(fields, { bias: fields.flag('mlp_bias', false) })),
    norms: ['input_layernorm', 'pre_ff_layernorm'],
    mlp: { ...llamaMlp, module: 'feed_forward' },
    order: ['feedForward', 'norms', 'mixer'],
    finalNorm: 'final_layernorm',
    positions: ropePositions(fields, headDim(fields), { share: 0.5 }),
  });
}
