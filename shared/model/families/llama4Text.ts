/** The language models of Llama 4 and of Llama 3.2 Vision. */
import type { FeedForward, Layer, SoftmaxAttention } from '../architecture';
import { attentionNode, llamaAttention, softmaxAttention } from '../attention';
import type { Backbone } from '../backbone';
import { expertMixture, gatedMlp, llamaMlp, mixtralExperts, mlpNode } from '../feedForward';
import type { Fields } from '../fields';
import { buildLayers } from '../layers';
import type { ModuleNode } from '../modules';
import { block, embedding, list, norm, tensor } from '../nodes';
import { rmsNorm } from '../norms';
import { slidingWindows } from '../windows';
import { biasFlag, windowed } from './llama';
import { llamaBlock } from './llamaBlock';

/** Every `interleave_moe_layer_step`-th layer has experts; every fourth has no positions and sees everything. */
export function llama4Text(fields: Fields): Backbone {
  const listed = fields.wholes('moe_layers');
  const step = fields.sizeOr('interleave_moe_layer_step', 1);
  const isSparse = (index: number): boolean =>
    listed === null ? (index + 1) % step === 0 : listed.includes(index);
  const width = fields.size('intermediate_size');
  const moe = expertMixture(fields, {
    expertWidth: width,
    routerScore: 'sigmoid',
    shared: { mlp: gatedMlp(fields), gate: false },
  });
  const dense = gatedMlp(fields, { width: fields.sizeOr('intermediate_size_mlp', width) });
  const flags = fields.wholes('no_rope_layers') ?? [];
  const interval = fields.sizeOr('no_rope_layer_interval', 4);
  const hasPositions = (index: number): boolean =>
    flags.length === 0 ? (index + 1) % interval !== 0 : flags[index] !== 0;
  const windows = slidingWindows(fields, interval);
  const attention = windowed(fields, { bias: biasFlag(fields, 'attention_bias') }, windows);
  return llamaBlock(fields, {
    family: 'llama4',
    mixer: (index) => ({ ...attention(index), positions: hasPositions(index) }),
    feedForward: (index): FeedForward => (isSparse(index) ? moe : dense),
    mlp: { ...llamaMlp, module: 'feed_forward' },
    experts: {
      ...mixtralExperts,
      module: 'feed_forward',
      router: 'router',
      shared: 'shared_expert',
      order: ['experts', 'router', 'shared'],
      inputsFirst: true,
    },
  });
}

/** The token table has eight rows more than the head, for the image's token. */
const extraTokens = 8;

/** The language model of Llama 3.2 Vision: some layers only look at the image. */
export function mllamaText(fields: Fields): Backbone {
  const hidden = fields.size('hidden_size');
  const crossLayers = new Set(fields.wholes('cross_attention_layers') ?? [3, 8, 13, 18, 23, 28, 33, 38]);
  const attention = softmaxAttention(fields, hidden);
  const mlp = gatedMlp(fields);
  const cross: SoftmaxAttention = {
    ...attention,
    causal: false,
    positions: false,
    queryKeyNorm: { over: 'head', norm: rmsNorm },
  };
  const base = llamaBlock(fields, { family: 'mllama' });
  const { layers, nodes } = buildLayers(
    fields.layers(),
    (index): Layer => ({
      mixer: crossLayers.has(index) ? { kind: 'none' } : attention,
      cross: crossLayers.has(index) ? cross : null,
      feedForward: mlp,
      norm: rmsNorm,
      placement: 'pre',
      norms: 2,
    }),
    (layer) =>
      layer.cross === null ? selfBlock(attention, hidden, layer) : crossBlock(layer.cross, hidden, layer),
  );
  const vocabularySize = fields.size('vocab_size');
  return {
    ...base,
    stack: { ...base.stack, layers },
    children: base.children.map((child) => {
      if (child.name === 'layers') return list('layers', nodes);
      return child.name === 'embed_tokens'
        ? embedding('embed_tokens', vocabularySize + extraTokens, hidden)
        : child;
    }),
  };
}

function selfBlock(attention: SoftmaxAttention, hidden: number, layer: Layer): ModuleNode {
  return block([
    attentionNode(attention, hidden),
    layer.feedForward.kind === 'mlp' ? mlpNode(layer.feedForward, hidden) : null,
    norm('input_layernorm', hidden, layer.norm),
    norm('post_attention_layernorm', hidden, layer.norm),
  ]);
}

function crossBlock(cross: SoftmaxAttention, hidden: number, layer: Layer): ModuleNode {
  return block(
    [
      attentionNode(cross, hidden, { ...llamaAttention, module: 'cross_attn' }),
      norm('input_layernorm', hidden, layer.norm),
      layer.feedForward.kind === 'mlp' ? mlpNode(layer.feedForward, hidden) : null,
      norm('post_attention_layernorm', hidden, layer.norm),
    ],
    [tensor('cross_attn_attn_gate', 1), tensor('cross_attn_mlp_gate', 1)],
  );
}
