/**
 * Gemma 4: sliding layers of narrow heads and full layers of wide ones; some layers take keys and values from an earlier
 * one; small models add an input of their own to each layer, others experts beside the MLP.
 */
import type { FeedForward, Layer, MixtureOfExperts, Mlp, SoftmaxAttention } from '../../model/architecture';
import { type AttentionNames, attentionNode, llamaAttention, softmaxAttention } from '../../model/attention';
import { type Backbone, llamaHead } from '../../model/backbone';
import { noDropout, tokenInputs } from '../../model/facts';
import { gatedMlp, llamaMlp, mlpNode } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { buildLayers } from '../../model/layers';
import type { ModuleNode } from '../../model/modules';
import {
  block,
  embedding,
  fp32Buffer,
  group,
  leaf,
  linear,
  list,
  norm,
  rotary,
  tensor,
  withBuffers,
} from '../../model/nodes';
import { rmsNorm } from '../../model/norms';
import { layerFields } from '../../model/perLayer';
import { biasFlag } from '../common/config/llamaAttention';

interface Gemma4 {
  readonly hidden: number;
  readonly layerCount: number;
  /** Width of each layer's own input; 0: there is none. */
  readonly perLayerWidth: number;
  /** Layers from this one on take keys and values from an earlier one. */
  readonly firstShared: number;
  /** Full layers use the keys as values. */
  readonly keysAreValues: boolean;
  readonly isFull: (index: number) => boolean;
  readonly experts: { readonly count: number; readonly perToken: number; readonly width: number } | null;
}

function factsOf(fields: ConfigFields): Gemma4 {
  const layerCount = fields.layers();
  const types = fields.names('layer_types');
  const isFull = (index: number): boolean =>
    index === layerCount - 1 || (types === null ? (index + 1) % 6 === 0 : types[index] === 'full_attention');
  return {
    hidden: fields.size('hidden_size'),
    layerCount,
    perLayerWidth: fields.count('hidden_size_per_layer_input', 256),
    firstShared: layerCount - fields.count('num_kv_shared_layers', 0),
    keysAreValues: fields.flag('attention_k_eq_v', false),
    isFull,
    experts: fields.flag('enable_moe_block', false)
      ? {
          count: fields.experts(),
          perToken: fields.sizeOr('top_k_experts', 8),
          width: fields.optionalSize('expert_intermediate_size') ?? fields.size('moe_intermediate_size'),
        }
      : null,
  };
}

/** The language model of Gemma 4. */
export function readGemma4Text(fields: ConfigFields): Backbone {
  const facts = factsOf(fields);
  const { hidden, layerCount, perLayerWidth } = facts;
  const vocabularySize = fields.size('vocab_size');
  const { layers, nodes } = buildLayers(
    layerCount,
    (index): Layer => ({
      mixer: attentionOf(fields, facts, index),
      cross: null,
      feedForward: feedForwardOf(fields, facts, index),
      norm: rmsNorm,
      placement: 'sandwich',
      norms: facts.experts === null ? 4 : 7,
    }),
    (layer, index) => gemma4Block(layer, facts, index),
    // Later layers use the keys and values of earlier ones, and have no projections for them.
    (index) => (index >= facts.firstShared ? 'shared' : 'own'),
  );
  const scaled = (name: string, rows: number, width: number): ModuleNode =>
    withBuffers(embedding(name, rows, width), [fp32Buffer('embed_scale')]);
  const perLayer = layerCount * perLayerWidth;
  return {
    family: 'gemma4',
    stack: {
      role: 'decoder',
      path: '',
      hiddenSize: hidden,
      inputs: tokenInputs(vocabularySize, hidden, { scale: Math.sqrt(hidden) }),
      positions: {
        kind: 'rope',
        rotaryDim: fields.sizeOr('head_dim', 256),
        interleaved: false,
      },
      layers,
      finalNorm: rmsNorm,
      maxPositions: fields.optionalSize('max_position_embeddings'),
      dropout: noDropout,
    },
    children: [
      scaled('embed_tokens', vocabularySize, hidden),
      list('layers', nodes),
      norm('norm', hidden, rmsNorm),
      rotaryTables(fields, facts),
      ...(perLayerWidth === 0
        ? []
        : [
            scaled(
              'embed_tokens_per_layer',
              fields.sizeOr('vocab_size_per_layer_input', vocabularySize),
              perLayer,
            ),
            linear('per_layer_model_projection', hidden, perLayer),
            norm('per_layer_projection_norm', perLayerWidth, rmsNorm),
          ]),
    ],
    ownParameters: [],
    ownBuffers: [],
    tokenTable: 'embed_tokens',
    head: {
      ...llamaHead,
      tied: fields.flag('tie_word_embeddings', true),
      softCap: fields.number('final_logit_softcapping', null),
    },
    warnings: [],
  };
}

/** Both kinds of layers have rope tables of their own, for heads of different width. */
function rotaryTables(fields: ConfigFields, facts: Gemma4): ModuleNode {
  const indexes = Array.from({ length: facts.layerCount }, (_, index) => index);
  const full = indexes.find((index) => facts.isFull(index));
  const sliding = indexes.find((index) => !facts.isFull(index));
  const table = (index: number | undefined, kind: string): ModuleNode['buffers'] =>
    index === undefined
      ? []
      : rotary('rotary_emb', attentionOf(fields, facts, index).headDim, [kind]).buffers;
  return withBuffers(group('rotary_emb', []), [
    ...table(full, 'full_attention'),
    ...table(sliding, 'sliding_attention'),
  ]);
}

function attentionOf(fields: ConfigFields, facts: Gemma4, index: number): SoftmaxAttention {
  const isFull = facts.isFull(index);
  const listed = layerFields(fields, index);
  const own = listed ?? fields;
  const attention = softmaxAttention(own, facts.hidden, {
    headDim:
      listed === null && isFull
        ? fields.sizeOr('global_head_dim', 512)
        : own.sizeOr('head_dim', isFull ? 512 : 256),
    bias: biasFlag(fields, 'attention_bias'),
    window: isFull ? null : fields.sizeOr('sliding_window', 512),
    queryKeyNorm: { over: 'head', norm: rmsNorm },
  });
  if (listed !== null || !isFull || !facts.keysAreValues) return attention;
  return {
    ...attention,
    keyValueHeads: fields.sizeOr('num_global_key_value_heads', attention.keyValueHeads),
  };
}

function feedForwardOf(fields: ConfigFields, facts: Gemma4, index: number): FeedForward {
  const isShared = index >= facts.firstShared;
  const base = gatedMlp(fields, { activation: fields.text('hidden_act', 'gelu_pytorch_tanh') });
  const isWide = isShared && fields.flag('use_double_wide_mlp', false);
  const mlp: Mlp = isWide ? { ...base, width: 2 * base.width } : base;
  if (facts.experts === null) return mlp;
  const { count, perToken, width } = facts.experts;
  return {
    kind: 'experts',
    experts: count,
    expertsPerToken: perToken,
    expertWidth: width,
    gated: true,
    activation: base.activation,
    bias: false,
    shared: null,
    dense: mlp,
    routerBias: false,
    routerScore: 'softmax',
    normalised: true,
    groups: null,
  };
}

const ownKeys: AttentionNames['order'] = ['query', 'queryNorm', 'keyNorm', 'key', 'value', 'output'];

function gemma4Block(layer: Layer, facts: Gemma4, index: number): ModuleNode {
  const { hidden, perLayerWidth } = facts;
  const { mixer, feedForward, norm: normFacts } = layer;
  if (mixer.kind !== 'attention') throw new Error('a Gemma 4 block has attention');
  const withoutValues = facts.keysAreValues && facts.isFull(index);
  const order: AttentionNames['order'] =
    index >= facts.firstShared
      ? ['query', 'queryNorm', 'output']
      : ownKeys.filter((part) => part !== 'value' || !withoutValues);
  const named = (name: string): ModuleNode => norm(name, hidden, normFacts);
  const dense = feedForward.kind === 'experts' ? feedForward.dense : feedForward;
  const node = block([
    attentionNode(mixer, hidden, { ...llamaAttention, order }),
    dense?.kind === 'mlp' ? mlpNode(dense, hidden, llamaMlp) : null,
    named('input_layernorm'),
    named('post_attention_layernorm'),
    named('pre_feedforward_layernorm'),
    named('post_feedforward_layernorm'),
    ...(perLayerWidth === 0
      ? []
      : [
          linear('per_layer_input_gate', hidden, perLayerWidth),
          linear('per_layer_projection', perLayerWidth, hidden),
          named('post_per_layer_input_norm'),
        ]),
    ...(feedForward.kind === 'experts' ? expertParts(feedForward, hidden, named) : []),
  ]);
  return withBuffers(node, [{ ...fp32Buffer('layer_scalar', 1), followsDtype: true }]);
}

function expertParts(
  moe: MixtureOfExperts,
  hidden: number,
  named: (name: string) => ModuleNode,
): readonly ModuleNode[] {
  const { experts, expertWidth } = moe;
  return [
    group(
      'router',
      [linear('proj', hidden, experts)],
      [tensor('scale', hidden), tensor('per_expert_scale', experts)],
    ),
    leaf('experts', 'expert', [
      tensor('gate_up_proj', experts, 2 * expertWidth, hidden),
      tensor('down_proj', experts, hidden, expertWidth),
    ]),
    named('post_feedforward_layernorm_1'),
    named('post_feedforward_layernorm_2'),
    named('pre_feedforward_layernorm_2'),
  ];
}
