/** DINOv2, with or without registers, and BEiT: vision transformers with a scale learned for each branch. */
import { allBias, attentionNode, llamaAttention, noBias, softmaxAttention } from '../../model/attention';
import type { ReadArchitecture } from '../../model/decoderClasses';
import { gatedMlp, llamaMlp, mlpNode } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { buildLayers, preNormLayer } from '../../model/layers';
import type { ModelClass } from '../../model/modelClass';
import type { ModuleNode } from '../../model/modules';
import { block, convolution, group, laterTensor, leaf, linear, list, norm, tensor } from '../../model/nodes';
import { layerNorm } from '../../model/norms';
import { visionModel } from '../common/config/imageClassifier';
import { patchCount, patchStack } from '../common/config/patchTower';

/** DINOv2, with registers where its type says so. */
export function readDinov2(fields: ConfigFields, modelClass: ModelClass): ReadArchitecture {
  const withRegisters = fields.text('model_type', 'dinov2') === 'dinov2_with_registers';
  const base = withRegisters ? 'dinov2_with_registers' : 'dinov2';
  const hidden = fields.size('hidden_size');
  const attention = softmaxAttention(fields, hidden, {
    causal: false,
    bias: fields.flag('qkv_bias', true) ? allBias : { ...noBias, output: true },
  });
  const width = Math.floor(hidden * fields.number('mlp_ratio', 4));
  const swiglu = fields.flag('use_swiglu_ffn', false);
  const mlp = gatedMlp(fields, {
    gated: swiglu,
    fused: swiglu,
    bias: true,
    // The gated form keeps the size by taking two thirds of the width, in steps of 8.
    width: swiglu ? Math.floor((Math.floor((width * 2) / 3) + 7) / 8) * 8 : width,
    activation: fields.text('hidden_act', 'gelu'),
  });
  const facts = preNormLayer(attention, mlp, layerNorm);
  const names = {
    ...llamaAttention,
    module: 'attention',
    query: 'query',
    key: 'key',
    value: 'value',
    order: ['query', 'key', 'value'] as const,
  };
  const scale = (name: string): ModuleNode => leaf(name, 'other', [tensor('lambda1', hidden)]);
  const { layers, nodes } = buildLayers(
    fields.layers(),
    () => facts,
    () =>
      block([
        norm('norm1', hidden, layerNorm),
        group('attention', [
          attentionNode(attention, hidden, names),
          group('output', [linear('dense', hidden, hidden, true)]),
        ]),
        scale('layer_scale1'),
        norm('norm2', hidden, layerNorm),
        mlpNode(
          mlp,
          hidden,
          swiglu
            ? { ...llamaMlp, fused: 'weights_in', down: 'weights_out' }
            : { ...llamaMlp, up: 'fc1', down: 'fc2' },
        ),
        scale('layer_scale2'),
      ]),
  );
  const patches = patchCount(fields);
  const registers = withRegisters ? fields.sizeOr('num_register_tokens', 4) : 0;
  const stack = patchStack(fields, {
    hiddenSize: hidden,
    positions: { kind: 'learned' },
    extraTokens: 1 + registers,
    layers,
    path: 'encoder',
    finalNorm: layerNorm,
  });
  const children = [
    group(
      'embeddings',
      [
        group('patch_embeddings', [
          convolution('projection', fields.sizeOr('num_channels', 3), hidden, fields.sides('patch_size')),
        ]),
      ],
      [
        tensor('cls_token', 1, 1, hidden),
        ...(fields.flag('use_mask_token', true) ? [tensor('mask_token', 1, hidden)] : []),
        ...(withRegisters ? [tensor('register_tokens', 1, registers, hidden)] : []),
        laterTensor('position_embeddings', 1, patches + 1, hidden),
      ],
    ),
    group('encoder', [list('layer', nodes)]),
    norm('layernorm', hidden, layerNorm),
  ];
  // The classifier reads the class token and the mean of the patches.
  return visionModel(modelClass, 'dinov2', base, stack, children, [], 2 * hidden);
}
