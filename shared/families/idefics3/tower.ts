import { allBias, attentionNode, llamaAttention, softmaxAttention } from '../../model/attention';
import { gatedMlp, llamaMlp, mlpNode } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { buildLayers, preNormLayer } from '../../model/layers';
import { block, convolution, embedding, group, list, norm } from '../../model/nodes';
import { layerNorm } from '../../model/norms';
import { type Tower, patchCount, patchStack } from '../common/config/patchTower';

/** Idefics3's and SmolVLM's: SigLIP without pooling, with CLIP's order of modules. */
export function readIdefics3Tower(fields: ConfigFields): Tower {
  const hidden = fields.size('hidden_size');
  const attention = softmaxAttention(fields, hidden, { causal: false, bias: allBias });
  const mlp = gatedMlp(fields, {
    gated: false,
    bias: true,
    activation: fields.text('hidden_act', 'gelu_pytorch_tanh'),
  });
  const facts = preNormLayer(attention, mlp, layerNorm);
  const names = { ...llamaAttention, output: 'out_proj' };
  const { layers, nodes } = buildLayers(
    fields.layers(),
    () => facts,
    () =>
      block([
        attentionNode(attention, hidden, { ...names, order: ['key', 'value', 'query', 'output'] }),
        norm('layer_norm1', hidden, layerNorm),
        mlpNode(mlp, hidden, { ...llamaMlp, up: 'fc1', down: 'fc2' }),
        norm('layer_norm2', hidden, layerNorm),
      ]),
  );
  const rows = patchCount(fields);
  const patch = fields.sides('patch_size');
  return {
    stack: patchStack(fields, {
      hiddenSize: hidden,
      positions: { kind: 'learned' },
      extraTokens: 0,
      layers,
      path: 'encoder',
      finalNorm: layerNorm,
    }),
    children: [
      group('embeddings', [
        convolution('patch_embedding', fields.sizeOr('num_channels', 3), hidden, patch),
        embedding('position_embedding', rows, hidden),
      ]),
      group('encoder', [list('layers', nodes)]),
      norm('post_layernorm', hidden, layerNorm),
    ],
  };
}
