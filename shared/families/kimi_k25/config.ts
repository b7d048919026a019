import { allBias, attentionNode, llamaAttention, softmaxAttention } from '../../model/attention';
import { gatedMlp, llamaMlp, mlpNode } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { buildLayers, preNormLayer } from '../../model/layers';
import {
  block,
  convolution,
  fp32Buffer,
  group,
  linear,
  list,
  norm,
  rotary,
  tensor,
  withBuffers,
} from '../../model/nodes';
import { layerNorm } from '../../model/norms';
import { type Tower, patchStack, towerFields } from '../common/config/patchTower';
import { connectorPart, language, towerPart, visionLanguageReader } from '../common/config/visionLanguage';
import { defaults } from './defaults';

/** MoonViT; files of the published code have its sizes with `vt_` in front. */
function kimiVision(fields: ConfigFields): Tower {
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

/** Kimi K2.5: four patches joined and projected. */
export const readKimiK25 = visionLanguageReader({
  family: 'kimi_k25',
  textType: 'deepseek_v3',
  tie: { by: 'either' },
  parts: (fields, { stack }) => {
    const own = towerFields(fields, 'vision_config', defaults.kimi_k25_vision.part);
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
