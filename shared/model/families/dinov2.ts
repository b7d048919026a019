/** DINOv2, with or without registers, and BEiT: vision transformers with a scale learned for each branch. */
import type { Head, Stack } from '../architecture';
import { allBias, attentionNode, llamaAttention, noBias, softmaxAttention } from '../attention';
import { placed, type ReadArchitecture } from '../decoderClasses';
import { gatedMlp, llamaMlp, mlpNode } from '../feedForward';
import type { Fields } from '../fields';
import { buildLayers, preNormLayer } from '../layers';
import type { ModelClass } from '../modelClass';
import type { ModuleNode } from '../modules';
import { block, convolution, group, laterTensor, leaf, linear, list, norm, tensor } from '../nodes';
import { layerNorm } from '../norms';
import { patchCount, patchStack } from './tower';

/** The classifier of a vision model under its base, or the base alone. */
function visionModel(
  modelClass: ModelClass,
  family: string,
  base: string,
  stack: Stack,
  children: readonly (ModuleNode | null)[],
  pooled: readonly ModuleNode[],
  inputSize: number,
): ReadArchitecture {
  const common = { family, className: modelClass.name, connectors: [] };
  if (modelClass.kind !== 'image-classification')
    return {
      ...common,
      stacks: [stack],
      head: { kind: 'none' },
      modules: group('', [...children, ...pooled]),
      warnings: [],
    };
  const { labels } = modelClass;
  const head: Head = { kind: 'classifier', labels, over: 'input', transform: null, dropout: 0 };
  return {
    ...common,
    stacks: [placed(stack, base)],
    head,
    modules: group('', [
      group(base, [...children, ...pooled]),
      linear('classifier', inputSize, labels, true),
    ]),
    warnings: [],
  };
}

/** DINOv2, with registers where its type says so. */
export function dinov2(fields: Fields, modelClass: ModelClass): ReadArchitecture {
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

/** BEiT: relative positions by layer or shared, no bias on keys. */
export function beit(fields: Fields, modelClass: ModelClass): ReadArchitecture {
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
