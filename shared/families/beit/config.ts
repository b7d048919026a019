import { allBias, attentionNode, llamaAttention, softmaxAttention } from '../../model/attention';
import type { ReadArchitecture } from '../../model/decoderClasses';
import { gatedMlp, llamaMlp, mlpNode } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { buildLayers, preNormLayer } from '../../model/layers';
import type { ModelClass } from '../../model/modelClass';
import type { ModuleNode } from '../../model/modules';
import { block, convolution, group, laterTensor, leaf, list, norm, tensor } from '../../model/nodes';
import { layerNorm } from '../../model/norms';
import { visionModel } from '../common/config/imageClassifier';
import { patchCount, patchStack } from '../common/config/patchTower';

/** BEiT: relative positions by layer or shared, no bias on keys. */
export function readBeit(fields: ConfigFields, modelClass: ModelClass): ReadArchitecture {
  const hidden = fields.size('hidden_size');
  const attention = softmaxAttention(fields, hidden, { causal: false, bias: { ...allBias, key: false } });
  const mlp = gatedMlp(fields, { gated: false, bias: true, activation: fields.text('hidden_act', 'gelu') });
  const facts = preNormLayer(attention, mlp, layerNorm);
  const image = fields.sides('image_size');
  const patch = fields.sides('patch_size');
  const [rows, columns] = [Math.floor(image[0] / patch[0]), Math.floor(image[1] / patch[1])];
  const distances = (2 * rows - 1) * (2 * columns - 1) + 3;
  const bias = (name: string): ModuleNode =>
    leaf(name, 'other', [tensor('relative_position_bias_table', distances, attention.heads)]);
  const scaled = fields.number('layer_scale_init_value', 0.1) > 0;
  const { layers, nodes } = buildLayers(
    fields.layers(),
    () => facts,
    () =>
      block(
        [
          attentionNode(attention, hidden, { ...llamaAttention, module: 'attention' }),
          norm('layernorm_before', hidden, layerNorm),
          norm('layernorm_after', hidden, layerNorm),
          mlpNode(mlp, hidden, { ...llamaMlp, up: 'fc1', down: 'fc2' }),
          fields.flag('use_relative_position_bias', false) ? bias('relative_position_bias') : null,
        ],
        scaled ? [laterTensor('lambda_1', hidden), laterTensor('lambda_2', hidden)] : [],
      ),
  );
  const patches = patchCount(fields);
  const pooled = fields.flag('use_mean_pooling', true);
  const stack = patchStack(fields, {
    hiddenSize: hidden,
    positions: { kind: 'learned' },
    extraTokens: 1,
    layers,
    path: '',
    finalNorm: pooled ? null : layerNorm,
    dropPath: 0.1,
  });
  const children = [
    group(
      'embeddings',
      [
        group('patch_embeddings', [
          convolution('projection', fields.sizeOr('num_channels', 3), hidden, patch),
        ]),
      ],
      [
        tensor('cls_token', 1, 1, hidden),
        ...(fields.flag('use_mask_token', false) ? [tensor('mask_token', 1, 1, hidden)] : []),
        ...(fields.flag('use_absolute_position_embeddings', false)
          ? [laterTensor('position_embeddings', 1, patches + 1, hidden)]
          : []),
      ],
    ),
    fields.flag('use_shared_relative_position_bias', false) ? bias('shared_position_bias') : null,
    list('layers', nodes),
    pooled ? null : norm('layernorm', hidden, layerNorm),
  ];
  const pooler = pooled ? [group('pooler', [norm('layernorm', hidden, layerNorm)])] : [];
  return visionModel(modelClass, 'beit', 'beit', stack, children, pooler, hidden);
}
