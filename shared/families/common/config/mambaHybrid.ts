import type { Mixer, SoftmaxAttention, StateSpace } from '../../../model/architecture';
import { softmaxAttention } from '../../../model/attention';
import type { ConfigFields } from '../../../model/configFields';
import type { ModuleNode } from '../../../model/modules';
import { ropePositions } from '../../../model/positions';
import { type HeadedStateSpace, mamba2Node } from './headedStateSpace';
import { biasFlag, headDim } from './llamaAttention';
import type { LlamaChanges } from './llamaBlock';

/** Mamba 2 under the `mamba_…` names. */
export function mamba2Facts(fields: ConfigFields): HeadedStateSpace {
  const heads = fields.sizeOr('mamba_n_heads', 128);
  const inner =
    fields.optionalSize('mamba_d_ssm') ?? fields.sizeOr('mamba_expand', 2) * fields.size('hidden_size');
  return {
    kind: 'state-space',
    innerSize: inner,
    stateSize: fields.sizeOr('mamba_d_state', 256),
    convolutionWidth: fields.sizeOr('mamba_d_conv', 4),
    heads,
    groups: fields.sizeOr('mamba_n_groups', 1),
  };
}

/** The mixer under the names of these families; Falcon H1 has a switch of its own for the last bias. */
export function stateNode(fields: ConfigFields, facts: HeadedStateSpace, hasNorm = true): ModuleNode {
  const input = fields.flag('mamba_proj_bias', false);
  const isFalcon = fields.text('model_type', '') === 'falcon_h1';
  return mamba2Node(facts, fields.size('hidden_size'), {
    module: 'mamba',
    bias: {
      convolution: fields.flag('mamba_conv_bias', true),
      input,
      output: isFalcon ? fields.flag('projectors_bias', false) : input,
    },
    hasNorm,
  });
}

interface Hybrid {
  readonly isAttention: (index: number) => boolean;
  readonly state: StateSpace;
  readonly stateNode: ModuleNode;
}

/** llama's attention in the layers that `hybrid` says, the state space in the others. */
export function mixerOf(
  fields: ConfigFields,
  hybrid: Hybrid,
): Pick<LlamaChanges, 'mixer' | 'ownNode' | 'positions'> {
  const attention: SoftmaxAttention = softmaxAttention(fields, fields.size('hidden_size'), {
    bias: biasFlag(fields, 'attention_bias'),
  });
  return {
    mixer: (index): Mixer => (hybrid.isAttention(index) ? attention : hybrid.state),
    ownNode: (part) => (part.kind === 'state-space' ? hybrid.stateNode : null),
    positions: ropePositions(fields, headDim(fields)),
  };
}
