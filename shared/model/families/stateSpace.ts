/** Models of state spaces only: Mamba, Mamba 2, Falcon Mamba. */
import type { FeedForward, Layer, Mixer, Norm, StateSpace } from '../architecture';
import { llamaHead, type Backbone } from '../backbone';
import { tokenInputs } from '../facts';
import type { Fields } from '../fields';
import { buildLayers } from '../layers';
import type { ModuleNode } from '../modules';
import { block, convolution, embedding, group, linear, list, norm, tensor } from '../nodes';
import { rmsNorm } from '../norms';
import { mamba2Node, type HeadedStateSpace } from './mamba2';

interface Shell {
  readonly family: string;
  readonly norm: Norm;
  /** Whether the head is tied where the file does not say; `never`: whatever it says. */
  readonly tied: boolean | 'never';
  readonly layers: readonly Layer[];
  readonly nodes: readonly ModuleNode[];
  readonly base: string;
  readonly warnings?: Backbone['warnings'];
}

/** The base model around the layers: `embeddings`, `layers`, `norm_f`; no positions. */
export function shell(fields: Fields, parts: Shell): Backbone {
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
    head: {
      ...llamaHead,
      base: parts.base,
      tied: parts.tied !== 'never' && fields.flag('tie_word_embeddings', parts.tied),
    },
    warnings: parts.warnings ?? [],
  };
}

/** A layer of one branch, normed before it. */
export const layerOf = (mixer: Mixer, feedForward: FeedForward, normFacts: Norm): Layer => ({
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

/** The state space under the names of transformers' Mamba 2. */
export function mamba2Facts(fields: Fields, heads: number, headDim: number): HeadedStateSpace {
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
export function mixerNode(fields: Fields, facts: HeadedStateSpace, hiddenSize: number): ModuleNode {
  const bias = fields.flag('use_bias', false);
  return mamba2Node(facts, hiddenSize, {
    module: 'mixer',
    bias: { convolution: fields.flag('use_conv_bias', true), input: bias, output: bias },
    hasNorm: true,
  });
}

/** Mamba 2. */
export function mamba2(fields: Fields): Backbone {
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
