import type { StateSpace } from '../../model/architecture';
import type { Backbone } from '../../model/backbone';
import type { ConfigFields } from '../../model/configFields';
import { buildLayers } from '../../model/layers';
import { block, convolution, group, linear, norm, tensor } from '../../model/nodes';
import { rmsNorm } from '../../model/norms';
import { layerOf, shell } from '../common/config/stateSpaceModel';

/** Mamba and Falcon Mamba: the inner size is `expand` times the hidden size, the step's rank a sixteenth of it. */
export function readMamba(fields: ConfigFields): Backbone {
  const hidden = fields.size('hidden_size');
  const inner = fields.sizeOr('intermediate_size', fields.sizeOr('expand', 2) * hidden);
  const states = fields.sizeOr('state_size', 16);
  const rankField = fields.find('time_step_rank')?.value;
  const rank = typeof rankField === 'number' ? fields.size('time_step_rank') : Math.ceil(hidden / 16);
  const width = fields.sizeOr('conv_kernel', 4);
  const bias = fields.flag('use_bias', false);
  const mixer: StateSpace = {
    kind: 'state-space',
    innerSize: inner,
    stateSize: states,
    convolutionWidth: width,
    heads: null,
    groups: null,
  };
  const node = group(
    'mixer',
    [
      convolution('conv1d', 1, inner, [width], fields.flag('use_conv_bias', true)),
      linear('in_proj', hidden, 2 * inner, bias),
      linear('x_proj', inner, rank + 2 * states),
      linear('dt_proj', rank, inner, true),
      linear('out_proj', inner, hidden, bias),
    ],
    [tensor('A_log', inner, states), tensor('D', inner)],
  );
  const { layers, nodes } = buildLayers(
    fields.layers(),
    () => layerOf(mixer, { kind: 'none' }, rmsNorm),
    () => block([norm('norm', hidden, rmsNorm), node]),
  );
  return shell(fields, { family: 'mamba', norm: rmsNorm, tied: true, layers, nodes, base: 'backbone' });
}
