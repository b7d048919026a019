import type { FeedForward, MixtureOfExperts } from '../../model/architecture';
import { attentionNode } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { expertMixture, expertsNode, gatedMlp, mixtralExperts } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import type { ModuleNode } from '../../model/modules';
import { group, linear, tensor } from '../../model/nodes';
import { rmsNorm } from '../../model/norms';
import { ropePositions } from '../../model/positions';
import { slidingWindows } from '../../model/windows';
import { sharedMlp } from '../common/config/expertLayers';
import { biasFlag, headDim, windowed } from '../common/config/llamaAttention';
import { llamaBlock } from '../common/config/llamaBlock';

/** AFMoE (Trinity): gated attention, four norms, experts after the first dense layers. */
export function readAfmoe(fields: ConfigFields): Backbone {
  const denseLayers = fields.count('num_dense_layers', 1);
  const moe = expertMixture(fields, {
    routerScore: 'sigmoid',
    shared: sharedMlp(fields, fields.count('num_shared_experts', 2)),
  });
  const dense = gatedMlp(fields);
  return llamaBlock(fields, {
    family: 'afmoe',
    placement: 'sandwich',
    norms: ['input_layernorm', 'post_attention_layernorm', 'pre_mlp_layernorm', 'post_mlp_layernorm'],
    order: ['mixer', 'norms', 'feedForward'],
    mixer: windowed(
      fields,
      { bias: biasFlag(fields, 'attention_bias'), queryKeyNorm: { over: 'head', norm: rmsNorm } },
      slidingWindows(fields, fields.sizeOr('global_attn_every_n_layers', 4)),
    ),
    feedForward: (index): FeedForward => (index < denseLayers ? dense : moe),
    ownNode: (part, hidden) => {
      if (part.kind === 'attention') {
        const node = attentionNode(part, hidden);
        const gate = linear('gate_proj', hidden, part.heads * part.headDim);
        return { ...node, children: [...node.children, gate] };
      }
      return part.kind === 'experts' ? afmoeExperts(part, hidden) : null;
    },
    positions: ropePositions(fields, headDim(fields)),
  });
}

function afmoeExperts(moe: MixtureOfExperts, hidden: number): ModuleNode {
  const names = { ...mixtralExperts, order: ['shared', 'experts'] as const };
  const node = expertsNode(moe, hidden, names);
  const router = group('router', [linear('gate', hidden, moe.experts)]);
  return {
    ...node,
    parameters: [{ ...tensor('expert_bias', moe.experts), frozen: true }],
    children: [router, ...node.children],
  };
}
