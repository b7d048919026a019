/** MiniMax M3 with its tower, which is like CLIP's over two frames. */
import { allBias, attentionNode, llamaAttention, softmaxAttention } from '../../model/attention';
import { gatedMlp, llamaMlp, mlpNode } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { buildLayers, preNormLayer } from '../../model/layers';
import type { ModuleNode } from '../../model/modules';
import { block, convolution, group, linear, list, norm, rotary } from '../../model/nodes';
import { layerNorm } from '../../model/norms';
import { ropePositions } from '../../model/positions';
import { type Tower, patchStack, towerFields } from '../common/config/patchTower';
import { connectorPart, language, towerPart, visionLanguageReader } from '../common/config/visionLanguage';
import { defaults } from './defaults';

function minimaxM3Vision(fields: ConfigFields): Tower {
  const hidden = fields.size('hidden_size');
  const attention = softmaxAttention(fields, hidden, { causal: false, bias: allBias });
  const mlp = gatedMlp(fields, { gated: false, bias: true, activation: fields.text('hidden_act', 'gelu') });
  const facts = preNormLayer(attention, mlp, layerNorm);
  const names = { ...llamaAttention, output: 'out_proj' };
  const { layers, nodes } = buildLayers(
    fields.layers(),
    () => facts,
    (): ModuleNode =>
      block([
        attentionNode(attention, hidden, { ...names, order: ['key', 'value', 'query', 'output'] }),
        norm('layer_norm1', hidden, layerNorm),
        mlpNode(mlp, hidden, { ...llamaMlp, up: 'fc1', down: 'fc2' }),
        norm('layer_norm2', hidden, layerNorm),
      ]),
  );
  const patch = fields.sides('patch_size');
  const kernel = [fields.sizeOr('temporal_patch_size', 2), ...patch];
  return {
    stack: patchStack(fields, {
      hiddenSize: hidden,
      positions: ropePositions(fields, attention.headDim),
      extraTokens: 0,
      layers,
      path: '',
      finalNorm: null,
    }),
    children: [
      group('embeddings', [convolution('proj', fields.sizeOr('num_channels', 3), hidden, kernel, false)]),
      norm('pre_layrnorm', hidden, layerNorm),
      list('layers', nodes),
      rotary('rotary_emb', attention.headDim),
    ],
  };
}

/** Each patch is projected, then four of them are joined and projected again. */
export const readMinimaxM3 = visionLanguageReader({
  family: 'minimax_m3',
  textType: 'minimax_m3_vl_text',
  tie: { by: 'either' },
  parts: (fields, { stack }) => {
    const own = towerFields(fields, 'vision_config', defaults.minimax_m3_vl_vision.part);
    const tower = minimaxM3Vision(own);
    const output = stack.hiddenSize;
    const width = fields.sizeOr('projector_hidden_size', output);
    const merged = own.sizeOr('spatial_merge_size', 2) ** 2 * output;
    const projector = group('multi_modal_projector', [
      linear('linear_1', tower.stack.hiddenSize, width, true),
      linear('linear_2', width, output, true),
      linear('merge_linear_1', merged, width, true),
      linear('merge_linear_2', width, output, true),
    ]);
    return [towerPart('vision_tower', tower), connectorPart(projector), language];
  },
});
