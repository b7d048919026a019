import { allBias, attentionNode, llamaAttention, noBias, softmaxAttention } from '../../model/attention';
import { gatedMlp, mlpLayers, mlpNode } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { buildLayers, preNormLayer } from '../../model/layers';
import { block, convolution, embedding, group, linear, list, norm, rotary } from '../../model/nodes';
import { layerNorm, rmsNorm } from '../../model/norms';
import { type Tower, patchCount, patchStack, towerFields } from '../common/config/patchTower';
import { language, towerPart, visionLanguageReader } from '../common/config/visionLanguage';
import { defaults } from './defaults';

/** GLM-4V's: merged by a convolution, then by a gated MLP as wide as the language model's. */
function glmVision(fields: ConfigFields): Tower {
  const hidden = fields.size('hidden_size');
  const output = fields.sizeOr('out_hidden_size', 4096);
  const heads = fields.sizeOr('num_heads', 12);
  const headDim = Math.max(1, Math.floor(hidden / heads));
  const hasBias = fields.flag('attention_bias', false);
  const attention = softmaxAttention(fields, hidden, {
    heads,
    keyValueHeads: heads,
    headDim,
    valueHeadDim: headDim,
    causal: false,
    bias: hasBias ? { ...allBias, output: false } : noBias,
    projection: 'fused',
  });
  const mlp = gatedMlp(fields, { width: output });
  const facts = preNormLayer(attention, mlp, rmsNorm);
  const { layers, nodes } = buildLayers(
    fields.layers('depth'),
    () => facts,
    () =>
      block([
        norm('norm1', hidden, rmsNorm),
        norm('norm2', hidden, rmsNorm),
        attentionNode(attention, hidden, { ...llamaAttention, module: 'attn', fused: 'qkv', output: 'proj' }),
        mlpNode(mlp, hidden),
      ]),
  );
  const patch = fields.sides('patch_size');
  const merge = fields.sizeOr('spatial_merge_size', 2);
  const kernel = [fields.sizeOr('temporal_patch_size', 2), ...patch];
  const context = gatedMlp(fields, { width: fields.size('intermediate_size') });
  const rows = patchCount(fields);
  return {
    stack: patchStack(fields, {
      hiddenSize: hidden,
      positions: { kind: 'learned' },
      extraTokens: 0,
      layers,
      path: '',
      finalNorm: rmsNorm,
    }),
    children: [
      group('embeddings', [embedding('position_embedding', rows, hidden)]),
      group('patch_embed', [convolution('proj', fields.sizeOr('in_channels', 3), hidden, kernel)]),
      rotary('rotary_pos_emb', Math.floor(headDim / 2)),
      list('blocks', nodes),
      group('merger', [
        linear('proj', output, output),
        norm('post_projection_norm', output, layerNorm),
        ...mlpLayers(context, output),
      ]),
      norm('post_conv_layernorm', hidden, rmsNorm),
      convolution('downsample', hidden, output, [merge, merge]),
      norm('post_layernorm', hidden, rmsNorm),
    ],
  };
}

/** GLM-4V: its tower merges and projects by itself. */
export const readGlm4v = visionLanguageReader({
  family: 'glm4v',
  textType: 'glm4v_text',
  tie: { by: 'either' },
  parts: (fields) => [
    towerPart('visual', glmVision(towerFields(fields, 'vision_config', defaults.glm4v_vision.part))),
    language,
  ],
});
