import type { Layer, SoftmaxAttention } from '../../model/architecture';
import { attentionNode, llamaAttention, softmaxAttention } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { gatedMlp, mlpNode } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { buildLayers } from '../../model/layers';
import type { ModuleNode } from '../../model/modules';
import { block, embedding, list, norm, tensor } from '../../model/nodes';
import { rmsNorm } from '../../model/norms';
import { llamaBlock } from '../common/config/llamaBlock';

/** The token table has eight rows more than the head, for the image's token. */
const extraTokens = 8;

/** The language model of Llama 3.2 Vision: some layers only look at the image. */
export function readMllamaText(fields: ConfigFields): Backbone {
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
