/** Mamba beside or between attention, each layer with an MLP or experts: Granite 4, Bamba, Falcon H1, Jamba. */
import type { FeedForward, Mixer, SoftmaxAttention, StateSpace } from '../architecture';
import { attentionNode, softmaxAttention } from '../attention';
import type { Backbone } from '../backbone';
import { expertMixture, expertsNode, gatedMlp, llamaMlp, mixtralExperts, mlpNode } from '../feedForward';
import type { Fields } from '../fields';
import type { ModuleNode } from '../modules';
import { convolution, floatBuffer, group, linear, norm, tensor, withBuffers } from '../nodes';
import { rmsNorm } from '../norms';
import { ropePositions } from '../positions';
import { biasFlag, headDim } from './llama';
import { constant, llamaBlock, type LlamaChanges } from './llamaBlock';
import { mamba2Node, mixedSize, type HeadedStateSpace } from './mamba2';

/** Mamba 2 under the `mamba_…` names. */
function mamba2Facts(fields: Fields): HeadedStateSpace {
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
function stateNode(fields: Fields, facts: HeadedStateSpace, hasNorm = true): ModuleNode {
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
function mixerOf(fields: Fields, hybrid: Hybrid): Pick<LlamaChanges, 'mixer' | 'ownNode' | 'positions'> {
  const attention: SoftmaxAttention = softmaxAttention(fields, fields.size('hidden_size'), {
    bias: biasFlag(fields, 'attention_bias'),
  });
  return {
    mixer: (index): Mixer => (hybrid.isAttention(index) ? attention : hybrid.state),
    ownNode: (part) => (part.kind === 'state-space' ? hybrid.stateNode : null),
    positions: ropePositions(fields, headDim(fields)),
  };
}

/** Granite 4: `layer_types` of mamba and attention; experts where there are any, and always an MLP beside them. */
export function graniteHybrid(fields: Fields): Backbone {
  const hidden = fields.size('hidden_size');
  const types = fields.names('layer_types') ?? [];
  const state = mamba2Facts(fields);
  const experts = fields.count('num_experts', 0);
  const shared = gatedMlp(fields, { width: fields.sizeOr('shared_intermediate_size', 1024), fused: true });
  const moe: FeedForward =
    experts > 0
      ? expertMixture(fields, {
          expertWidth: fields.size('intermediate_size'),
          shared: { mlp: shared, gate: false },
        })
      : shared;
  const parts = mixerOf(fields, {
    isAttention: (index) => /attention$/.test(types[index] ?? '') && types[index] !== 'linear_attention',
    state,
    stateNode: stateNode(fields, state),
  });
  const sharedNode = mlpNode(shared, hidden, {
    ...llamaMlp,
    module: 'shared_mlp',
    fused: 'input_linear',
    down: 'output_linear',
  });
  const names = { ...mixtralExperts, module: 'block_sparse_moe', router: 'router' };
  return llamaBlock(fields, {
    family: 'granite_hybrid',
    ...parts,
    ...(fields.text('position_embedding_type', 'nope') === 'rope'
      ? {}
      : { positions: { kind: 'none' } as const }),
    feedForward: () => moe,
    order: ['norms', 'feedForward', 'mixer'],
    ownNode: (part, size) => {
      switch (part.kind) {
        case 'state-space':
          return stateNode(fields, state);
        case 'experts':
          return group('', [expertsNode({ ...part, shared: null }, size, names), sharedNode]);
        case 'mlp':
          return sharedNode;
        default:
          return null;
      }
    },
    embeddingScale: fields.number('embedding_multiplier', 1),
    head: { scale: fields.number('logits_scaling', 1) },
  });
}

/** Bamba: attention in `attn_layer_indices`. */
export function bamba(fields: Fields): Backbone {
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

/** Falcon H1: every layer has both, side by side. */
export function falconH1(fields: Fields): Backbone {
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

/** Jamba: attention and experts in periods; Mamba's step, input and output maps are normed. */
export function jamba(fields: Fields): Backbone {
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
