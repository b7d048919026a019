import { allBias, attentionNode, llamaAttention, noBias, softmaxAttention } from '../../model/attention';
import { gatedMlp, llamaMlp, mlpNode } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { buildLayers, preNormLayer } from '../../model/layers';
import type { OwnTensor } from '../../model/modules';
import { block, convolution, group, list, norm, tensor } from '../../model/nodes';
import { layerNorm, rmsNorm } from '../../model/norms';
import { type Tower, patchCount, patchStack } from '../common/config/patchTower';

/** InternVL's: ViT with a scale learned for each branch. */
export function readInternVlTower(fields: ConfigFields): Tower {
  const hidden = fields.size('hidden_size');
  const isRms = fields.text('norm_type', 'layer_norm') === 'rms_norm';
  const normFacts = isRms ? rmsNorm : layerNorm;
  const attention = softmaxAttention(fields, hidden, {
    causal: false,
    bias: fields.flag('attention_bias', false) ? allBias : { ...noBias, output: true },
    queryKeyNorm: fields.flag('use_qk_norm', false) ? { over: 'all', norm: rmsNorm } : null,
  });
  const mlp = gatedMlp(fields, { gated: false, bias: true, activation: fields.text('hidden_act', 'gelu') });
  const facts = preNormLayer(attention, mlp, normFacts);
  const { layers, nodes } = buildLayers(
    fields.layers(),
    () => facts,
    () =>
      block(
        [
          attentionNode(attention, hidden, {
            ...llamaAttention,
            module: 'attention',
            output: 'projection_layer',
          }),
          mlpNode(mlp, hidden, { ...llamaMlp, up: 'fc1', down: 'fc2' }),
          norm('layernorm_before', hidden, normFacts),
          norm('layernorm_after', hidden, normFacts),
        ],
        [tensor('lambda_1', hidden), tensor('lambda_2', hidden)],
      ),
  );
  const patches = patchCount(fields);
  const patch = fields.sides('patch_size');
  const pooled = fields.flag('use_mean_pooling', true);
  const own: OwnTensor[] = [
    tensor('cls_token', 1, 1, hidden),
    ...(fields.flag('use_mask_token', false) ? [tensor('mask_token', 1, 1, hidden)] : []),
    ...(fields.flag('use_absolute_position_embeddings', true)
      ? [tensor('position_embeddings', 1, patches + 1, hidden)]
      : []),
  ];
  return {
    stack: patchStack(fields, {
      hiddenSize: hidden,
      positions: { kind: 'learned' },
      extraTokens: 1,
      layers,
      path: 'encoder',
      finalNorm: pooled ? null : normFacts,
    }),
    children: [
      group(
        'embeddings',
        [
          group('patch_embeddings', [
            convolution('projection', fields.sizeOr('num_channels', 3), hidden, patch),
          ]),
        ],
        own,
      ),
      group('encoder', [list('layer', nodes)]),
      ...(pooled ? [] : [norm('layernorm', hidden, normFacts)]),
    ],
  };
}
