/** Kimi K2.5 and GLM-4V, whose towers take images of any size. */
import { attentionNode, allBias, llamaAttention, noBias, softmaxAttention } from '../attention';
import { gatedMlp, llamaMlp, mlpLayers, mlpNode } from '../feedForward';
import type { Fields } from '../fields';
import { buildLayers, preNormLayer } from '../layers';
import {
  block,
  convolution,
  embedding,
  fp32Buffer,
  group,
  linear,
  list,
  norm,
  rotary,
  tensor,
  withBuffers,
} from '../nodes';
import { layerNorm, rmsNorm } from '../norms';
import { patchCount, patchStack, towerFields, type Tower } from './tower';
import { connectorPart, language, towerPart, visionLanguageReader } from './visionLanguage';

/** MoonViT; files of the published code have its sizes with `vt_` in front. */
function kimiVision(fields: Fields): Tower {
  const hidden = fields.sizeOr('vt_hidden_size', fields.optionalSize('hidden_size')) ?? 1152;
  const width = fields.sizeOr('vt_intermediate_size', fields.optionalSize('intermediate_size')) ?? 4304;
  const heads = fields.sizeOr('vt_num_attention_heads', fields.optionalSize('num_attention_heads')) ?? 16;
  const layerCount = fields.has('vt_num_hidden_layers')
    ? fields.layers('vt_num_hidden_layers')
    : fields.layers();
  const headDim = Math.max(1, Math.floor(hidden / heads));
  const attention = softmaxAttention(fields, hidden, {
    heads,
    keyValueHeads: heads,
    headDim,
    valueHeadDim: headDim,
    causal: false,
    bias: allBias,
  });
  const mlp = gatedMlp(fields, { gated: false, bias: true, width, activation: 'gelu_pytorch_tanh' });
  const facts = preNormLayer(attention, mlp, layerNorm);
  const names = { ...llamaAttention, module: 'attn', output: 'proj' };
  const { layers, nodes } = buildLayers(
    layerCount,
    () => facts,
    () =>
      block([
        norm('norm1', hidden, layerNorm),
        norm('norm2', hidden, layerNorm),
        attentionNode(attention, hidden, { ...names, order: ['output', 'query', 'key', 'value'] }),
        mlpNode(mlp, hidden, { ...llamaMlp, up: 'fc1', down: 'fc2' }),
      ]),
  );
  const rows = fields.sizeOr('pos_emb_height', fields.sizeOr('init_pos_emb_height', 64));
  const columns = fields.sizeOr('pos_emb_width', fields.sizeOr('init_pos_emb_width', 64));
  const positions = withBuffers(
    group('pos_emb', [], [tensor('position_embeddings', rows, columns, hidden)]),
    [fp32Buffer('time_position_embeddings', fields.sizeOr('pos_emb_time', 4) + 1, hidden)],
  );
  const patch = fields.sides('patch_size');
  return {
    stack: patchStack(fields, {
      hiddenSize: hidden,
      positions: { kind: 'learned' },
      extraTokens: 0,
      layers,
      path: '',
      finalNorm: layerNorm,
    }),
    children: [
      group('patch_embed', [convolution('proj', 3, hidden, patch), positions]),
      rotary('rotary_emb', Math.floor(attention.headDim / 2)),
      list('layers', nodes),
      norm('final_layernorm', hidden, layerNorm),
    ],
  };
}

/** GLM-4V's: merged by a convolution, then by a gated MLP as wide as the language model's. */
function glmVision(fields: Fields): Tower {
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

/** Kimi K2.5: four patches joined and projected. */
export const kimiK25 = visionLanguageReader({
  family: 'kimi_k25',
  textType: 'deepseek_v3',
  tie: { by: 'either' },
  parts: (fields, { stack }) => {
    const own = towerFields(fields, 'vision_config', 'kimi_k25_vision');
    const tower = kimiVision(own);
    const { hiddenSize } = tower.stack;
    const [rows = 1, columns = 1] = own.wholes('merge_kernel_size') ?? [2, 2];
    const joined = hiddenSize * rows * columns;
    const normed = own.sizeOr('mm_hidden_size', fields.sizeOr('projection_hidden_size', hiddenSize));
    const projector = group('mm_projector', [
      norm('pre_norm', normed, layerNorm),
      linear('in_proj', joined, joined, true),
      linear('out_proj', joined, stack.hiddenSize, true),
    ]);
    return [towerPart('vision_tower', tower), language, connectorPart(projector)];
  },
});

/** GLM-4V: its tower merges and projects by itself. */
export const glm4v = visionLanguageReader({
  family: 'glm4v',
  textType: 'glm4v_text',
  tie: { by: 'either' },
  parts: (fields) => [
    towerPart('visual', glmVision(towerFields(fields, 'vision_config', 'glm4v_vision'))),
    language,
  ],
});
