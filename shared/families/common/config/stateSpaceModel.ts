import type { FeedForward, Layer, Mixer, Norm } from '../../../model/architecture';
import { type Backbone, llamaHead } from '../../../model/backbone';
import { tokenInputs } from '../../../model/facts';
import type { ConfigFields } from '../../../model/configFields';
import type { ModuleNode } from '../../../model/modules';
import { embedding, list, norm } from '../../../model/nodes';

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
export function shell(fields: ConfigFields, parts: Shell): Backbone {
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
