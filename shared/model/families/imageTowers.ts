/** The towers of Kimi K2.5 and GLM-4V, for which patches keep their own sizes. */
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
import type { Tower } from './clip';
import { patchStack } from './visionTowers';
import { fixedPatchCount } from './vit';

/** MoonViT; files of the published code have its sizes with `vt_` in front. */
export function kimiVision(fields: Fields): Tower {
  const hidden = fields.sizeOr('vt_hidden_size', fields.optionalSize('hidden_size')) ?? 1152;
  const width = fields.sizeOr('vt_intermediate_size', fields.optionalSize('intermediate_size')) ?? 4304;
  const heads = fields.sizeOr('vt_num_attention_heads', fields.optionalSize('num_attention_heads')) ?? 16;
  const layerCount = fields.has('vt_num_hidden_layers')
    ? fields.layers('vt_num_hidden_layers')
    : fields.layers();
  const kind = layerNorm(1e-5);
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
  const facts = preNormLayer(attention, mlp, kind);
  const names = { ...llamaAttention, module: 'attn', output: 'proj' };
  const { layers, nodes } = buildLayers(
    layerCount,
    () => facts,
    () =>
      block([
        norm('norm1', hidden, kind),
        norm('norm2', hidden, kind),
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
  const patch = fields.pair('patch_size') ?? [14, 14];
  return {
    stack: patchStack(fields, {
      hidden,
      norm: kind,
      positions: { kind: 'learned', rows: rows * columns },
      extraTokens: 0,
      patchBias: true,
      inputNorm: null,
      layers,
      path: '',
      finalNorm: kind,
    }),
    children: [
      group('patch_embed', [convolution('proj', 3, hidden, patch), positions]),
      rotary('rotary_emb', Math.floor(attention.headDim / 2)),
      list('layers', nodes),
      norm('final_layernorm', hidden, kind),
    ],
  };
}

/** GLM-4V's: merged by a convolution, then by a gated MLP as wide as the language model's. */
export function glmVision(fields: Fields): Tower {
  const hidden = fields.size('hidden_size');
  const output = fields.sizeOr('out_hidden_size', 4096);
  const kind = rmsNorm(fields.number('norm_eps', 1e-5));
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
  const facts = preNormLayer(attention, mlp, kind);
  const { layers, nodes } = buildLayers(
    fields.layers('depth'),
    () => facts,
    () =>
      block([
        norm('norm1', hidden, kind),
        norm('norm2', hidden, kind),
        attentionNode(attention, hidden, { ...llamaAttention, module: 'attn', fused: 'qkv', output: 'proj' }),
        mlpNode(mlp, hidden),
      ]),
  );
  const patch = fields.pair('patch_size') ?? [14, 14];
  const merge = fields.sizeOr('spatial_merge_size', 2);
  const kernel = [fields.sizeOr('temporal_patch_size', 2), ...patch];
  const context = gatedMlp(fields, { width: fields.size('intermediate_size') });
  const rows = fixedPatchCount(fields);
  return {
    stack: patchStack(fields, {
      hidden,
      norm: kind,
      positions: { kind: 'learned', rows },
      extraTokens: 0,
      patchBias: true,
      inputNorm: kind,
      layers,
      path: '',
      finalNorm: kind,
    }),
    children: [
      group('embeddings', [embedding('position_embedding', rows, hidden)]),
      group('patch_embed', [convolution('proj', fields.sizeOr('in_channels', 3), hidden, kernel)]),
      rotary('rotary_pos_emb', Math.floor(headDim / 2)),
      list('blocks', nodes),
      group('merger', [
        linear('proj', output, output),
        norm('post_projection_norm', output, layerNorm(1e-5)),
        ...mlpLayers(context, output),
      ]),
      norm('post_conv_layernorm', hidden, kind),
      convolution('downsample', hidden, output, [merge, merge]),
      norm('post_layernorm', hidden, kind),
    ],
  };
}
