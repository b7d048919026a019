/**
 * The block that most decoders share since llama: attention and a gated MLP, each after a norm, with rotary positions,
 * under the same module names. A style says where a family differs.
 */
import type { FeedForward, Layer, Mixer, Norm, NormPlacement, Positions } from '../../../model/architecture';
import {
  type AttentionNames,
  attentionNode,
  latentNode,
  llamaAttention,
  softmaxAttention,
} from '../../../model/attention';
import { type Backbone, type HeadStyle, llamaHead } from '../../../model/backbone';
import { tokenInputs } from '../../../model/facts';
import {
  type ExpertNames,
  type MlpNames,
  expertsNode,
  gatedMlp,
  llamaMlp,
  mixtralExperts,
  mlpNode,
} from '../../../model/feedForward';
import type { ConfigFields } from '../../../model/configFields';
import { buildLayers } from '../../../model/layers';
import type { ModuleNode } from '../../../model/modules';
import { block, embedding, fp32Buffer, list, norm, rotary, withBuffers } from '../../../model/nodes';
import { rmsNorm } from '../../../model/norms';
import { ropePositions } from '../../../model/positions';

interface LlamaStyle {
  readonly family: string;
  readonly layerCount: number;
  readonly norm: Norm;
  readonly placement: NormPlacement;
  /** Names of the block's norms in registration order; empty where a block has none of its own. */
  readonly norms: readonly string[];
  /** The norms of one layer, where they differ between layers. */
  readonly normsOf: (layer: Pick<Layer, 'mixer' | 'feedForward'>) => readonly string[];
  readonly mixer: (index: number) => Mixer;
  readonly feedForward: (index: number) => FeedForward;
  readonly attention: AttentionNames;
  readonly mlp: MlpNames;
  readonly experts: ExpertNames;
  readonly order: readonly ('mixer' | 'feedForward' | 'norms')[];
  readonly positions: Positions;
  /** Kinds of layers with rope tables of their own; one unnamed where all share them. */
  readonly rotaryTypes: readonly string[];
  readonly embeddingScale: number | null;
  /** Gemma keeps the scale as a buffer of the table. */
  readonly embeddingScaleIsBuffer: boolean;
  readonly dropout: { readonly embedding: number; readonly residual: number };
  readonly head: Partial<HeadStyle>;
  readonly finalNorm: string;
  /** Modules of a block that come after all others. */
  readonly beside: (layer: Layer, hiddenSize: number) => readonly ModuleNode[];
  /** The module of a mixer or MLP that is not built as llama's or Mixtral's; null: it is. */
  readonly ownNode: (part: Mixer | FeedForward, hiddenSize: number) => ModuleNode | null;
}

/** What a style adds to llama's; `norm` and the rest are filled in from the usual fields. */
export type LlamaChanges = Partial<LlamaStyle> & { readonly family: string };

/** A decoder of llama's blocks with `changes`. Refused where a size that the block needs is missing. */
export function llamaBlock(fields: ConfigFields, changes: LlamaChanges): Backbone {
  const hiddenSize = fields.size('hidden_size');
  const vocabularySize = fields.size('vocab_size');
  const style = completed(fields, hiddenSize, changes);
  const { layers, nodes } = buildLayers(
    style.layerCount,
    (index): Layer => {
      const parts = { mixer: style.mixer(index), feedForward: style.feedForward(index) };
      return {
        ...parts,
        cross: null,
        norm: style.norm,
        placement: style.placement,
        norms: style.normsOf(parts).length,
      };
    },
    (layer) => blockNode(layer, hiddenSize, style),
  );
  const table = embedding('embed_tokens', vocabularySize, hiddenSize);
  return {
    family: style.family,
    stack: {
      role: 'decoder',
      path: '',
      hiddenSize,
      inputs: tokenInputs(vocabularySize, hiddenSize, { scale: style.embeddingScale }),
      positions: style.positions,
      layers,
      finalNorm: style.norm,
      maxPositions: fields.optionalSize('max_position_embeddings'),
      dropout: { ...style.dropout, activation: 0, layer: 0 },
    },
    children: [
      style.embeddingScaleIsBuffer ? withBuffers(table, [fp32Buffer('embed_scale')]) : table,
      list('layers', nodes),
      norm(style.finalNorm, hiddenSize, style.norm),
      ...(style.positions.kind === 'rope'
        ? [rotary('rotary_emb', style.positions.rotaryDim, style.rotaryTypes)]
        : []),
    ],
    ownParameters: [],
    ownBuffers: [],
    tokenTable: 'embed_tokens',
    head: {
      ...llamaHead,
      ...style.head,
      tied: fields.flag('tie_word_embeddings', style.head.tied ?? llamaHead.tied),
    },
    warnings: [],
  };
}

function completed(fields: ConfigFields, hiddenSize: number, changes: LlamaChanges): LlamaStyle {
  const layerCount = changes.layerCount ?? fields.layers();
  const norms = changes.norms ?? ['input_layernorm', 'post_attention_layernorm'];
  const mixer = changes.mixer ?? constant(softmaxAttention(fields, hiddenSize));
  return {
    layerCount,
    norm: rmsNorm,
    placement: 'pre',
    norms,
    normsOf: constant(norms),
    mixer,
    feedForward: changes.feedForward ?? constant(gatedMlp(fields)),
    attention: llamaAttention,
    mlp: llamaMlp,
    experts: mixtralExperts,
    order: ['mixer', 'feedForward', 'norms'],
    positions: changes.positions ?? ropePositions(fields, rotatedHead(mixer(0), hiddenSize)),
    rotaryTypes: [''],
    embeddingScale: null,
    embeddingScaleIsBuffer: false,
    dropout: { embedding: 0, residual: 0 },
    head: {},
    finalNorm: 'norm',
    beside: () => [],
    ownNode: () => null,
    ...changes,
  };
}

/** The same for every layer. */
export const constant =
  <T>(value: T) =>
  (): T =>
    value;

function rotatedHead(mixer: Mixer, hiddenSize: number): number {
  switch (mixer.kind) {
    case 'attention':
      return mixer.headDim;
    case 'latent':
      return mixer.rotaryHeadDim;
    default:
      return hiddenSize;
  }
}

function blockNode(layer: Layer, hiddenSize: number, style: LlamaStyle): ModuleNode {
  const norms = style.normsOf(layer).map((name) => norm(name, hiddenSize, style.norm));
  return block([
    ...style.order.flatMap((part) => {
      switch (part) {
        case 'mixer':
          return unwrapped(mixerNode(layer.mixer, hiddenSize, style));
        case 'feedForward':
          return unwrapped(feedForwardNode(layer.feedForward, hiddenSize, style));
        case 'norms':
          return norms;
      }
    }),
    ...style.beside(layer, hiddenSize),
  ]);
}

/** A part of a block may be two modules side by side: then it comes as a group without a name. */
const unwrapped = (node: ModuleNode | null): readonly (ModuleNode | null)[] =>
  node?.name === '' ? node.children : [node];

function mixerNode(mixer: Mixer, hiddenSize: number, style: LlamaStyle): ModuleNode | null {
  const own = style.ownNode(mixer, hiddenSize);
  if (own !== null) return own;
  switch (mixer.kind) {
    case 'attention':
      return attentionNode(mixer, hiddenSize, style.attention);
    case 'latent':
      return latentNode(mixer, hiddenSize, style.norm);
    case 'none':
    case 'gated-delta':
    case 'state-space':
    case 'other':
      return null;
  }
}

function feedForwardNode(part: FeedForward, hiddenSize: number, style: LlamaStyle): ModuleNode | null {
  const own = style.ownNode(part, hiddenSize);
  if (own !== null) return own;
  switch (part.kind) {
    case 'mlp':
      return mlpNode(part, hiddenSize, style.mlp);
    case 'experts':
      return expertsNode(part, hiddenSize, style.experts);
    case 'none':
    case 'other':
      return null;
  }
}
