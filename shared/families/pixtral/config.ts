import { attentionNode, llamaAttention, softmaxAttention } from '../../model/attention';
import { gatedMlp, llamaMlp, mlpNode } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { buildLayers, preNormLayer } from '../../model/layers';
import { block, convolution, group, list, norm, rotary } from '../../model/nodes';
import { rmsNorm } from '../../model/norms';
import { type Tower, patchStack } from '../common/config/patchTower';

/** Pixtral: rope over rows and columns, gated MLPs, RMS norms, no biases. */
export function readPixtral(fields: ConfigFields): Tower {
  const hidden = fields.size('hidden_size');
  const attention = softmaxAttention(fields, hidden, {
    causal: false,
    keyValueHeads: fields.size('num_attention_heads'),
    headDim: Math.max(1, Math.floor(hidden / fields.size('num_attention_heads'))),
  });
  const mlp = gatedMlp(fields, { activation: fields.text('hidden_act', 'gelu') });
  const facts = preNormLayer(attention, mlp, rmsNorm);
  const names = { ...llamaAttention, module: 'attention' };
  const { layers, nodes } = buildLayers(
    fields.layers(),
    () => facts,
    () =>
      block([
        norm('attention_norm', hidden, rmsNorm),
        mlpNode(mlp, hidden, { ...llamaMlp, module: 'feed_forward' }),
        attentionNode(attention, hidden, { ...names, order: ['key', 'value', 'query', 'output'] }),
        norm('ffn_norm', hidden, rmsNorm),
      ]),
  );
  const patch = fields.sides('patch_size');
  return {
    stack: patchStack(fields, {
      hiddenSize: hidden,
      positions: {
        kind: 'rope',
        rotaryDim: attention.headDim,
        interleaved: false,
      },
      extraTokens: 0,
      layers,
      path: 'transformer',
      finalNorm: null,
    }),
    children: [
      convolution('patch_conv', fields.sizeOr('num_channels', 3), hidden, patch, false),
      norm('ln_pre', hidden, rmsNorm),
      group('transformer', [list('layers', nodes)]),
      rotary('patch_positional_embedding', attention.headDim),
    ],
  };
}
