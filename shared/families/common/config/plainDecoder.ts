/** A decoder of softmax attention and plain MLPs under any module names, for the families that are not shaped like llama. */
import type { Layer, Mlp, Norm, Positions, SoftmaxAttention, Stack } from '../../../model/architecture';
import { type AttentionNames, attentionNode } from '../../../model/attention';
import { type Backbone, type HeadStyle, llamaHead } from '../../../model/backbone';
import { tokenInputs } from '../../../model/facts';
import { type MlpNames, gatedMlp, mlpNode } from '../../../model/feedForward';
import type { ConfigFields } from '../../../model/configFields';
import { buildLayers, ordinaryParts } from '../../../model/layers';
import type { ModuleNode, OwnBuffer } from '../../../model/modules';
import { block, norm } from '../../../model/nodes';

/** What a plain decoder is made of; its parts are listed in registration order by `children` and `blockOf`. */
export interface PlainDecoder {
  readonly family: string;
  readonly positions: Positions;
  readonly norm: Norm;
  readonly layerOf: (index: number) => Layer;
  readonly blockOf: (layer: Layer, hiddenSize: number) => ModuleNode;
  /** The base module's children around the list of blocks. */
  readonly children: (
    blocks: readonly ModuleNode[],
    hiddenSize: number,
    vocabularySize: number,
  ) => ModuleNode[];
  readonly tokenTable: string;
  readonly head: Partial<HeadStyle>;
  readonly dropout?: Partial<Stack['dropout']>;
  readonly embeddingNorm?: Norm;
  readonly embeddingSize?: number;
  /** What token embeddings are multiplied by. */
  readonly embeddingScale?: number | null;
  readonly ownBuffers?: readonly OwnBuffer[];
}

/** A decoder made of `parts`. Refused where hidden size, layers or vocabulary are missing. */
export function plainDecoder(fields: ConfigFields, parts: PlainDecoder): Backbone {
  const hiddenSize = fields.size('hidden_size');
  const vocabularySize = fields.size('vocab_size');
  const { layers, nodes } = buildLayers(fields.layers(), parts.layerOf, (layer) =>
    parts.blockOf(layer, hiddenSize),
  );
  return {
    family: parts.family,
    stack: {
      role: 'decoder',
      path: '',
      hiddenSize,
      inputs: tokenInputs(vocabularySize, parts.embeddingSize ?? hiddenSize, {
        norm: parts.embeddingNorm ?? null,
        scale: parts.embeddingScale ?? null,
      }),
      positions: parts.positions,
      layers,
      finalNorm: parts.norm,
      maxPositions: fields.optionalSize('max_position_embeddings'),
      dropout: { embedding: 0, residual: 0, activation: 0, layer: 0, ...parts.dropout },
    },
    children: parts.children(nodes, hiddenSize, vocabularySize),
    ownParameters: [],
    ownBuffers: parts.ownBuffers ?? [],
    tokenTable: parts.tokenTable,
    head: {
      ...llamaHead,
      base: 'transformer',
      ...parts.head,
      tied: fields.flag('tie_word_embeddings', parts.head.tied ?? false),
    },
    warnings: [],
  };
}

/** The facts of a layer of attention and MLP, normed before each or side by side. */
export const layerFacts = (
  mixer: SoftmaxAttention,
  feedForward: Mlp,
  normFacts: Norm,
  parallel = false,
  norms = 2,
): Layer => ({
  mixer,
  cross: null,
  feedForward,
  norm: normFacts,
  placement: parallel ? 'parallel' : 'pre',
  norms,
});

/** A block of norm, attention, norm, MLP in this order; the second norm only where there are two. */
export const gptBlock =
  (attention: AttentionNames, mlp: MlpNames, norms: readonly [string, string]) =>
  (layer: Layer, hidden: number): ModuleNode => {
    const facts = ordinaryParts(layer);
    return block([
      norm(norms[0], hidden, layer.norm),
      attentionNode(facts.attention, hidden, attention),
      layer.norms > 1 ? norm(norms[1], hidden, layer.norm) : null,
      mlpNode(facts.mlp, hidden, mlp),
    ]);
  };

/** Four times the hidden size wide where the file does not say. */
export const plainMlp = (fields: ConfigFields, activation: string, bias = true): Mlp =>
  gatedMlp(fields, {
    gated: false,
    bias,
    activation: fields.text('hidden_act', activation),
    width: fields.sizeOr('intermediate_size', 4 * fields.size('hidden_size')),
  });
