import type { Backbone } from '../../model/backbone';
import type { ConfigFields } from '../../model/configFields';
import { buildLayers } from '../../model/layers';
import type { ModuleNode } from '../../model/modules';
import { block, norm } from '../../model/nodes';
import { rmsNorm } from '../../model/norms';
import { type HeadedStateSpace, mamba2Node } from '../common/config/headedStateSpace';
import { layerOf, shell } from '../common/config/stateSpaceModel';

/** The state space under the names of transformers' Mamba 2. */
export function mamba2Facts(fields: ConfigFields, heads: number, headDim: number): HeadedStateSpace {
  return {
    kind: 'state-space',
    innerSize: heads * headDim,
    stateSize: fields.sizeOr('ssm_state_size', fields.sizeOr('state_size', 128)),
    convolutionWidth: fields.sizeOr('conv_kernel', 4),
    heads,
    groups: fields.sizeOr('n_groups', 8),
  };
}

/** The mixer under the names of transformers' Mamba 2. */
export function mixerNode(fields: ConfigFields, facts: HeadedStateSpace, hiddenSize: number): ModuleNode {
  const bias = fields.flag('use_bias', false);
  return mamba2Node(facts, hiddenSize, {
    module: 'mixer',
    bias: { convolution: fields.flag('use_conv_bias', true), input: bias, output: bias },
    hasNorm: true,
  });
}

/** Mamba 2. */
export function readMamba2(fields: ConfigFields): Backbone {
  const hidden = fields.size('hidden_size');
  const facts = mamba2Facts(fields, fields.sizeOr('num_heads', 128), fields.sizeOr('head_dim', 64));
  const node = mixerNode(fields, facts, hidden);
  const { layers, nodes } = buildLayers(
    fields.layers(),
    () => layerOf(facts, { kind: 'none' }, rmsNorm),
    () => block([norm('norm', hidden, rmsNorm), node]),
  );
  return shell(fields, { family: 'mamba2', norm: rmsNorm, tied: false, layers, nodes, base: 'backbone' });
}
