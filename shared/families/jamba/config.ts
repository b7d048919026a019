import type { FeedForward, StateSpace } from '../../model/architecture';
import type { Backbone } from '../../model/backbone';
import { expertMixture, gatedMlp, llamaMlp, mixtralExperts } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { convolution, group, linear, norm, tensor } from '../../model/nodes';
import { rmsNorm } from '../../model/norms';
import { llamaBlock } from '../common/config/llamaBlock';
import { mixerOf } from '../common/config/mambaHybrid';

/** Jamba: attention and experts in periods; Mamba's step, input and output maps are normed. */
export function readJamba(fields: ConfigFields): Backbone {
  const hidden = fields.size('hidden_size');
  const inner = fields.sizeOr('mamba_expand', 2) * hidden;
  const states = fields.sizeOr('mamba_d_state', 16);
  const rankField = fields.find('mamba_dt_rank')?.value;
  const rank = typeof rankField === 'number' ? fields.size('mamba_dt_rank') : Math.ceil(hidden / 16);
  const width = fields.sizeOr('mamba_d_conv', 4);
  const bias = fields.flag('mamba_proj_bias', false);
  const node = group(
    'mamba',
    [
      convolution('conv1d', 1, inner, [width], fields.flag('mamba_conv_bias', true)),
      linear('in_proj', hidden, 2 * inner, bias),
      linear('x_proj', inner, rank + 2 * states),
      linear('dt_proj', rank, inner, true),
      linear('out_proj', inner, hidden, bias),
      norm('dt_layernorm', rank, rmsNorm),
      norm('b_layernorm', states, rmsNorm),
      norm('c_layernorm', states, rmsNorm),
    ],
    [tensor('A_log', inner, states), tensor('D', inner)],
  );
  const state: StateSpace = {
    kind: 'state-space',
    innerSize: inner,
    stateSize: states,
    convolutionWidth: width,
    heads: null,
    groups: null,
  };
  const inPeriod = (period: string, fallback: number, offset: string, offsetFallback: number) => {
    const length = fields.sizeOr(period, fallback);
    const first = fields.count(offset, offsetFallback);
    return (index: number): boolean => (index - first) % length === 0;
  };
  const isAttention = inPeriod('attn_layer_period', 8, 'attn_layer_offset', 4);
  const isSparse = inPeriod('expert_layer_period', 2, 'expert_layer_offset', 1);
  const experts = fields.count('num_experts', 16);
  const mlp = gatedMlp(fields);
  const moe = experts > 1 ? expertMixture(fields, { expertWidth: mlp.width, experts }) : mlp;
  return llamaBlock(fields, {
    family: 'jamba',
    ...mixerOf(fields, { isAttention, state, stateNode: node }),
    positions: { kind: 'none' },
    feedForward: (index): FeedForward => (isSparse(index) ? moe : mlp),
    norms: ['input_layernorm', 'pre_ff_layernorm'],
    mlp: { ...llamaMlp, module: 'feed_forward' },
    experts: { ...mixtralExperts, module: 'feed_forward', router: 'router' },
    finalNorm: 'final_layernorm',
  });
}
