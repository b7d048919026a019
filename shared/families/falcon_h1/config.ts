import type { Mixer } from '../../model/architecture';
import { attentionNode, softmaxAttention } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { gatedMlp, llamaMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { floatBuffer, group, withBuffers } from '../../model/nodes';
import { ropePositions } from '../../model/positions';
import { mixedSize } from '../common/config/headedStateSpace';
import { biasFlag, headDim } from '../common/config/llamaAttention';
import { llamaBlock } from '../common/config/llamaBlock';
import { mamba2Facts, stateNode } from '../common/config/mambaHybrid';

/** Falcon H1: every layer has both, side by side. */
export function readFalconH1(fields: ConfigFields): Backbone {
  const hidden = fields.size('hidden_size');
  const state = mamba2Facts(fields);
  const hasNorm = fields.flag('mamba_rms_norm', false);
  const attention = softmaxAttention(fields, hidden, { bias: biasFlag(fields, 'attention_bias') });
  const mixer = stateNode(fields, state, hasNorm);
  // Everything that `in_proj` gives.
  const multiplied = state.innerSize + mixedSize(state) + state.heads;
  const scaled = withBuffers(mixer, [floatBuffer('mup_vector', 1, 1, multiplied)]);
  const mlp = gatedMlp(fields, { bias: fields.flag('mlp_bias', false) });
  return llamaBlock(fields, {
    family: 'falcon_h1',
    mixer: (): Mixer => ({ kind: 'other', name: 'attention-beside-state-space' }),
    feedForward: () => mlp,
    norms: ['input_layernorm', 'pre_ff_layernorm'],
    mlp: { ...llamaMlp, module: 'feed_forward' },
    order: ['feedForward', 'mixer', 'norms'],
    ownNode: (part, size) =>
      part.kind === 'other' ? group('', [scaled, attentionNode(attention, size)]) : null,
    finalNorm: 'final_layernorm',
    positions: ropePositions(fields, headDim(fields)),
  });
}
