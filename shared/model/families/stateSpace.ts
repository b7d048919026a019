/** Models of state spaces: Mamba, Mamba 2, Falcon Mamba, and Nemotron-H, which mixes them with attention and experts. */
import { message } from '../../i18n/message';
import type { FeedForward, Layer, Mixer, Norm, SoftmaxAttention, StateSpace } from '../architecture';
import { attentionNode, llamaAttention, softmaxAttention } from '../attention';
import { llamaHead, type Backbone } from '../backbone';
import { expertGroups, gatedMlp, llamaMlp, mlpLayers } from '../feedForward';
import { tokenInputs } from '../facts';
import type { Fields } from '../fields';
import { buildLayers } from '../layers';
import type { ModuleNode } from '../modules';
import {
  block,
  convolution,
  embedding,
  fp32Buffer,
  group,
  leaf,
  linear,
  list,
  norm,
  tensor,
  withBuffers,
} from '../nodes';
import { rmsNorm } from '../norms';

interface Shell {
  readonly family: string;
  readonly norm: Norm;
  readonly tied: boolean;
  readonly layers: readonly Layer[];
  readonly nodes: readonly ModuleNode[];
  readonly base: string;
  readonly warnings?: Backbone['warnings'];
}

/** The base model around the layers: `embeddings`, `layers`, `norm_f`; no positions. */
function shell(fields: Fields, parts: Shell): Backbone {
  const hidden = fields.size('hidden_size');
  const vocabularySize = fields.size('vocab_size');
  return {
    family: parts.family,
    stack: {
      role: 'decoder',
      path: '',
      hiddenSize: hidden,
      inputs: tokenInputs(vocabularySize, hidden),
      positions: { kind: 'none' },
      layers: parts.layers,
      finalNorm: parts.norm,
      maxPositions: null,
      dropout: { embedding: 0, residual: fields.number('hidden_dropout', 0), activation: 0, layer: 0 },
    },
    children: [
      embedding('embeddings', vocabularySize, hidden),
      list('layers', parts.nodes),
      norm('norm_f', hidden, parts.norm),
    ],
    ownParameters: [],
    ownBuffers: [],
    tokenTable: 'embeddings',
    head: { ...llamaHead, base: parts.base, tied: fields.flag('tie_word_embeddings', parts.tied) },
    warnings: parts.warnings ?? [],
  };
}

const layerOf = (mixer: Mixer, feedForward: FeedForward, normFacts: Norm): Layer => ({
  mixer,
  cross: null,
  feedForward,
  norm: normFacts,
  placement: 'pre',
  norms: 1,
});

/** Mamba and Falcon Mamba: the inner size is `expand` times the hidden size, the step's rank a sixteenth of it. */
export function mamba(fields: Fields): Backbone {
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

/** A state space of heads, which Mamba 2 has. */
export interface HeadedStateSpace extends StateSpace {
  readonly heads: number;
  readonly groups: number;
}

/** Elements that pass the convolution: the inner state and both state maps of each group. */
export const mixedSize = ({ groups, innerSize, stateSize }: HeadedStateSpace): number =>
  innerSize + 2 * groups * stateSize;

function mamba2Facts(fields: Fields, heads: number, headDim: number): HeadedStateSpace {
  return {
    kind: 'state-space',
    innerSize: heads * headDim,
    stateSize: fields.sizeOr('ssm_state_size', fields.sizeOr('state_size', 128)),
    convolutionWidth: fields.sizeOr('conv_kernel', 4),
    heads,
    groups: fields.sizeOr('n_groups', 8),
  };
}

/** One projection gives gate, input, both state maps and the step of each head. */
function mamba2Node(fields: Fields, facts: HeadedStateSpace, hidden: number, bias: boolean): ModuleNode {
  const { heads } = facts;
  const mixed = mixedSize(facts);
  return group(
    'mixer',
    [
      convolution('conv1d', 1, mixed, [facts.convolutionWidth], fields.flag('use_conv_bias', true)),
      linear('in_proj', hidden, facts.innerSize + mixed + heads, bias),
      norm('norm', facts.innerSize, rmsNorm),
      linear('out_proj', facts.innerSize, hidden, bias),
    ],
    [tensor('dt_bias', heads), tensor('A_log', heads), tensor('D', heads)],
  );
}

export function mamba2(fields: Fields): Backbone {
  const hidden = fields.size('hidden_size');
  const facts = mamba2Facts(fields, fields.sizeOr('num_heads', 128), fields.sizeOr('head_dim', 64));
  const node = mamba2Node(fields, facts, hidden, fields.flag('use_bias', false));
  const { layers, nodes } = buildLayers(
    fields.layers(),
    () => layerOf(facts, { kind: 'none' }, rmsNorm),
    () => block([norm('norm', hidden, rmsNorm), node]),
  );
  return shell(fields, { family: 'mamba2', norm: rmsNorm, tied: false, layers, nodes, base: 'backbone' });
}

type NemotronLayer = 'mamba' | 'attention' | 'mlp' | 'moe';

/** `layers_block_type`, or the pattern of letters: M Mamba, * attention, - MLP, E experts. */
function nemotronLayers(fields: Fields): readonly NemotronLayer[] {
  const listed = fields.names('layers_block_type');
  const letters: Readonly<Record<string, NemotronLayer>> = {
    M: 'mamba',
    '*': 'attention',
    '-': 'mlp',
    E: 'moe',
  };
  const pattern = fields.text('hybrid_override_pattern', '');
  const names = listed ?? [...pattern].map((letter) => letters[letter] ?? letter);
  if (names.length === 0) throw fields.missing('layers_block_type');
  return names.map((name) => {
    if (name === 'mamba' || name === 'attention' || name === 'mlp' || name === 'moe') return name;
    throw fields.wrong(
      listed === null ? 'hybrid_override_pattern' : 'layers_block_type',
      name,
      'model.expectedLayerKind',
    );
  });
}

export function nemotronH(fields: Fields): Backbone {
  const hidden = fields.size('hidden_size');
  const kinds = nemotronLayers(fields);
  const facts = mamba2Facts(
    fields,
    fields.sizeOr('mamba_num_heads', 128),
    fields.sizeOr('mamba_head_dim', 64),
  );
  const attention: SoftmaxAttention = softmaxAttention(fields, hidden, {
    headDim: fields.sizeOr('head_dim', fields.sizeOr('attention_head_dim', 128)),
    positions: false,
  });
  const activation = fields.text('mlp_hidden_act', 'relu2');
  const mlp = gatedMlp(fields, { gated: false, bias: fields.flag('mlp_bias', false), activation });
  const { layers, nodes } = buildLayers(
    kinds.length,
    (index) => {
      switch (kinds[index]) {
        case 'mamba':
          return layerOf(facts, { kind: 'none' }, rmsNorm);
        case 'attention':
          return layerOf(attention, { kind: 'none' }, rmsNorm);
        case 'mlp':
          return layerOf({ kind: 'none' }, mlp, rmsNorm);
        default:
          return layerOf({ kind: 'none' }, nemotronExperts(fields, activation), rmsNorm);
      }
    },
    ({ mixer, feedForward }) =>
      block([
        norm('norm', hidden, rmsNorm),
        mixer.kind === 'state-space'
          ? mamba2Node(fields, facts, hidden, fields.flag('use_bias', false))
          : mixer.kind === 'attention'
            ? attentionNode(mixer, hidden, { ...llamaAttention, module: 'mixer' })
            : feedForward.kind === 'mlp'
              ? group('mixer', mlpLayers(feedForward, hidden, llamaMlp))
              : nemotronExpertsNode(fields, feedForward, hidden),
      ]),
  );
  const said = fields.optionalSize('num_hidden_layers');
  const warnings =
    said === null || said === kinds.length
      ? []
      : [
          message('model.layersDisagree', {
            field: 'num_hidden_layers',
            found: said,
            listed: kinds.length,
            listField: fields.has('layers_block_type') ? 'layers_block_type' : 'hybrid_override_pattern',
          }),
        ];
  return shell(fields, {
    family: 'nemotron_h',
    norm: rmsNorm,
    tied: false,
    layers,
    nodes,
    base: 'model',
    warnings,
  });
}

/** Experts without gates, over a narrower input where `moe_latent_size` says so. */
function nemotronExperts(fields: Fields, activation: string): FeedForward {
  const sharedWidth = fields.sizeOr(
    'moe_shared_expert_intermediate_size',
    fields.size('moe_intermediate_size'),
  );
  return {
    kind: 'experts',
    experts: fields.experts('n_routed_experts'),
    expertsPerToken: fields.sizeOr('num_experts_per_tok', 2),
    expertWidth: fields.size('moe_intermediate_size'),
    gated: false,
    activation,
    bias: false,
    shared: {
      mlp: gatedMlp(fields, { gated: false, width: sharedWidth, activation }),
      gate: false,
    },
    dense: null,
    routerBias: false,
    routerScore: 'sigmoid',
    normalised: fields.flag('norm_topk_prob', true),
    groups: expertGroups(fields, 1, 1),
  };
}

function nemotronExpertsNode(fields: Fields, moe: FeedForward, hidden: number): ModuleNode {
  if (moe.kind !== 'experts') return group('mixer', []);
  const latent = fields.optionalSize('moe_latent_size');
  const size = latent ?? hidden;
  const { experts, expertWidth, shared } = moe;
  return group('mixer', [
    leaf('experts', 'expert', [
      tensor('up_proj', experts, expertWidth, size),
      tensor('down_proj', experts, size, expertWidth),
    ]),
    withBuffers(leaf('gate', 'router', [tensor('weight', experts, hidden)]), [
      fp32Buffer('e_score_correction_bias', experts),
    ]),
    shared === null ? null : group('shared_experts', mlpLayers(shared.mlp, hidden, llamaMlp)),
    latent === null ? null : linear('fc1_latent_proj', hidden, latent),
    latent === null ? null : linear('fc2_latent_proj', latent, hidden),
  ]);
}
