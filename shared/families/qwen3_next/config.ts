import type { FeedForward, GatedDeltaNet, Mixer, SoftmaxAttention } from '../../model/architecture';
import { softmaxAttention } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { expertMixture, gatedMlp, mixtralExperts } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import type { ModuleNode } from '../../model/modules';
import { convolution, group, linear, norm, tensor } from '../../model/nodes';
import { gemmaNorm, rmsNorm } from '../../model/norms';
import { ropePositions } from '../../model/positions';
import { sparseLayers } from '../../model/sparseLayers';
import { biasFlag } from '../common/config/llamaAttention';
import { llamaBlock } from '../common/config/llamaBlock';

/** Qwen3-Next: always with experts. */
export function readQwen3Next(fields: ConfigFields): Backbone {
  return hybrid(fields, 'qwen3_next');
}

/** Layers of full attention: by `layer_types`, else every `full_attention_interval`-th. */
function isFull(fields: ConfigFields): (index: number) => boolean {
  const types = fields.names('layer_types');
  const interval = fields.sizeOr('full_attention_interval', 4);
  return (index) => (types === null ? (index + 1) % interval === 0 : types[index] !== 'linear_attention');
}

export function hybrid(fields: ConfigFields, family: 'qwen3_next' | 'qwen3_5'): Backbone {
  const full = isFull(fields);
  const attention: SoftmaxAttention = softmaxAttention(fields, fields.size('hidden_size'), {
    bias: biasFlag(fields, 'attention_bias'),
    queryKeyNorm: { over: 'head', norm: gemmaNorm },
    outputGate: true,
  });
  const delta: GatedDeltaNet = {
    kind: 'gated-delta',
    keyHeads: fields.sizeOr('linear_num_key_heads', 16),
    valueHeads: fields.sizeOr('linear_num_value_heads', 32),
    keyHeadDim: fields.sizeOr('linear_key_head_dim', 128),
    valueHeadDim: fields.sizeOr('linear_value_head_dim', 128),
    convolutionWidth: fields.sizeOr('linear_conv_kernel_dim', 4),
  };
  return llamaBlock(fields, {
    family,
    norm: gemmaNorm,
    mixer: (index): Mixer => (full(index) ? attention : delta),
    feedForward: feedForwardOf(fields),
    experts: { ...mixtralExperts, shared: 'shared_expert' },
    positions: ropePositions(fields, attention.headDim, { share: 0.25 }),
    ownNode: (part, hidden) => (part.kind === 'gated-delta' ? deltaNode(part, hidden, family) : null),
  });
}

function feedForwardOf(fields: ConfigFields): (index: number) => FeedForward {
  if (!fields.has('num_experts')) {
    const mlp = gatedMlp(fields);
    return () => mlp;
  }
  const width = fields.sizeOr('shared_expert_intermediate_size', fields.size('moe_intermediate_size'));
  const moe = expertMixture(fields, { shared: { mlp: gatedMlp(fields, { width }), gate: true } });
  const sparse = sparseLayers(fields);
  return (index) => (sparse(index) ? moe : gatedMlp(fields));
}

function deltaNode(delta: GatedDeltaNet, hidden: number, family: 'qwen3_next' | 'qwen3_5'): ModuleNode {
  const keys = delta.keyHeads * delta.keyHeadDim;
  const values = delta.valueHeads * delta.valueHeadDim;
  const mixed = 2 * keys + values;
  const gateNorm = norm('norm', delta.valueHeadDim, rmsNorm);
  const output = linear('out_proj', values, hidden);
  const isNext = family === 'qwen3_next';
  return group(
    'linear_attn',
    [
      convolution('conv1d', 1, mixed, [delta.convolutionWidth], false),
      ...(isNext
        ? [
            linear('in_proj_qkvz', hidden, mixed + values),
            linear('in_proj_ba', hidden, 2 * delta.valueHeads),
            gateNorm,
            output,
          ]
        : [
            gateNorm,
            output,
            linear('in_proj_qkv', hidden, mixed),
            linear('in_proj_z', hidden, values),
            linear('in_proj_b', hidden, delta.valueHeads),
            linear('in_proj_a', hidden, delta.valueHeads),
          ]),
    ],
    [tensor('dt_bias', delta.valueHeads), tensor('A_log', delta.valueHeads)],
  );
}
