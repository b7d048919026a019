/** Mixtures of experts with module names of their own: Granite MoE, ERNIE 4.5, Hunyuan, AFMoE, Command with experts. */
import type { FeedForward, MixtureOfExperts, SoftmaxAttention } from '../architecture';
import { allBias, attentionNode, llamaAttention, noBias } from '../attention';
import type { Backbone } from '../backbone';
import { expertMixture, expertsNode, gatedMlp, llamaMlp, mixtralExperts, mlpNode } from '../feedForward';
import type { Fields } from '../fields';
import type { ModuleNode } from '../modules';
import { group, leaf, linear, tensor } from '../nodes';
import { layerNormWithoutBias, rmsNorm } from '../norms';
import { ropePositions } from '../positions';
import { sparseLayers } from '../sparseLayers';
import { slidingWindows } from '../windows';
import { biasFlag, headDim, windowed } from './llama';
import { constant, llamaBlock } from './llamaBlock';
import { hunyuanAttention } from './llamaKin';
import { sharedMlp } from './moe';

/** Granite MoE; `shared_intermediate_size` above 0 puts an MLP beside the experts. */
export function graniteMoe(fields: Fields): Backbone {
  const sharedWidth = fields.count('shared_intermediate_size', 0);
  const shared = sharedWidth === 0 ? null : gatedMlp(fields, { width: sharedWidth, fused: true });
  const moe = expertMixture(fields, {
    expertWidth: fields.size('intermediate_size'),
    shared: shared === null ? null : { mlp: shared, gate: false },
  });
  const experts = { ...mixtralExperts, module: 'block_sparse_moe', router: 'router' };
  const base = llamaBlock(fields, {
    family: 'granite_moe',
    mixer: windowed(fields, { bias: biasFlag(fields, 'attention_bias') }, constant(null)),
    feedForward: constant(moe),
    order: ['mixer', 'norms', 'feedForward'],
    ownNode: (part, hidden) =>
      part.kind === 'experts' ? expertsNode({ ...part, shared: null }, hidden, experts) : null,
    beside: (_layer, hidden) =>
      shared === null
        ? []
        : [
            mlpNode(shared, hidden, {
              ...llamaMlp,
              module: 'shared_mlp',
              fused: 'input_linear',
              down: 'output_linear',
            }),
          ],
    embeddingScale: fields.number('embedding_multiplier', 1),
    head: { scale: fields.number('logits_scaling', 1) },
  });
  return base;
}

/** ERNIE 4.5: experts between two layers of the stack; the router's correction is a parameter of its own module. */
export function ernie45Moe(fields: Fields): Backbone {
  const bias = fields.flag('use_bias', false);
  const attentionBias: SoftmaxAttention['bias'] = bias ? allBias : noBias;
  const layers = fields.layers();
  const step = fields.sizeOr('moe_layer_interval', 1);
  const first = fields.count('moe_layer_start_index', 1);
  const lastField = fields.number('moe_layer_end_index', -1);
  const last = lastField < 0 ? layers - 1 : lastField;
  const isSparse = (index: number): boolean => (index + 1) % step === 0 && index >= first && index <= last;
  const dense = gatedMlp(fields, { bias });
  const sharedCount = fields.count('moe_num_shared_experts', 2);
  const width = fields.size('moe_intermediate_size');
  const moe = expertMixture(fields, {
    shared:
      sharedCount === 0 ? null : { mlp: gatedMlp(fields, { width: sharedCount * width, bias }), gate: false },
  });
  return llamaBlock(fields, {
    family: 'ernie4_5_moe',
    mixer: windowed(fields, { bias: attentionBias }, constant(null)),
    feedForward: (index): FeedForward => (isSparse(index) ? moe : dense),
    ownNode: (part, hidden) => (part.kind === 'experts' ? ernieExperts(part, hidden) : null),
    head: { tied: true, bias },
  });
}

function ernieExperts(moe: MixtureOfExperts, hidden: number): ModuleNode {
  const node = expertsNode(moe, hidden);
  const correction = { ...tensor('e_score_correction_bias', 1, moe.experts), frozen: true };
  return {
    ...node,
    children: node.children.map((child) =>
      child.name === 'gate' ? { ...child, children: [leaf('moe_statics', 'other', [correction])] } : child,
    ),
  };
}

/** Hunyuan-Large and A13B: one shared MLP as wide as an expert. */
export function hunyuanMoe(fields: Fields): Backbone {
  const moe = expertMixture(fields, {
    expertWidth: fields.size('intermediate_size'),
    shared: { mlp: gatedMlp(fields), gate: false },
  });
  return llamaBlock(fields, {
    family: 'hunyuan_v1_moe',
    mixer: windowed(fields, hunyuanAttention(fields), constant(null)),
    attention: { ...llamaAttention, queryNorm: 'query_layernorm', keyNorm: 'key_layernorm' },
    feedForward: constant(moe),
    ownNode: (part, hidden) =>
      part.kind === 'experts'
        ? withRouter(expertsNode(part, hidden, { ...mixtralExperts, shared: 'shared_mlp' }), [
            group('gate', [linear('wg', hidden, part.experts)]),
          ])
        : null,
  });
}

/** The mixture with other modules in the place of its router. */
function withRouter(node: ModuleNode, router: readonly ModuleNode[]): ModuleNode {
  return { ...node, children: [...router, ...node.children.filter(({ name }) => name !== 'gate')] };
}

/** AFMoE (Trinity): gated attention, four norms, experts after the first dense layers. */
export function afmoe(fields: Fields): Backbone {
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

/** Command with experts: Cohere 2's parallel block. */
export function cohere2Moe(fields: Fields): Backbone {
  const sharedCount = fields.count('num_shared_experts', 0);
  const width = fields.size('intermediate_size');
  const moe = expertMixture(fields, {
    expertWidth: width,
    shared: sharedCount === 0 ? null : { mlp: gatedMlp(fields, { width: sharedCount * width }), gate: false },
  });
  const dense = gatedMlp(fields, { width: fields.sizeOr('prefix_dense_intermediate_size', width) });
  const sparse = sparseLayers(fields);
  return llamaBlock(fields, {
    family: 'cohere',
    norm: layerNormWithoutBias,
    placement: 'parallel',
    norms: ['input_layernorm'],
    mixer: windowed(fields, { bias: biasFlag(fields, 'attention_bias') }, slidingWindows(fields, 4)),
    feedForward: (index): FeedForward => (sparse(index) ? moe : dense),
    positions: ropePositions(fields, headDim(fields), { interleaved: true }),
    head: { tied: true, scale: fields.number('logit_scale', 0.0625) },
  });
}
