/** Vision transformers: patches of an image as tokens, a class token in front, blocks normed before each branch. */
import type { Head, Layer, Stack } from '../../model/architecture';
import { allBias, attentionNode, llamaAttention, noBias, softmaxAttention } from '../../model/attention';
import { type ReadArchitecture, placed } from '../../model/decoderClasses';
import { gatedMlp, llamaMlp, mlpNode } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { type BuiltLayers, buildLayers, ordinaryParts } from '../../model/layers';
import type { ModelClass } from '../../model/modelClass';
import type { ModuleNode } from '../../model/modules';
import { block, convolution, group, laterTensor, linear, list, norm, tensor } from '../../model/nodes';
import { layerNorm } from '../../model/norms';
import { patchCount, patchStack } from '../common/config/patchTower';

function vitLayers(fields: ConfigFields, hiddenSize: number): BuiltLayers {
  const qkvBias = fields.flag('qkv_bias', true);
  const facts: Layer = {
    mixer: softmaxAttention(fields, hiddenSize, {
      bias: qkvBias ? allBias : { ...noBias, output: true },
      causal: false,
    }),
    cross: null,
    feedForward: gatedMlp(fields, {
      gated: false,
      bias: true,
      activation: fields.text('hidden_act', 'gelu'),
    }),
    norm: layerNorm,
    placement: 'pre',
    norms: 2,
  };
  return buildLayers(
    fields.layers(),
    () => facts,
    (layer) => vitBlock(layer, hiddenSize),
  );
}

function vitBlock(layer: Layer, hiddenSize: number): ModuleNode {
  const { attention: mixer, mlp: feedForward } = ordinaryParts(layer);
  return block([
    attentionNode(mixer, hiddenSize, { ...llamaAttention, module: 'attention' }),
    norm('layernorm_before', hiddenSize, layerNorm),
    norm('layernorm_after', hiddenSize, layerNorm),
    mlpNode(feedForward, hiddenSize, { ...llamaMlp, up: 'fc1', down: 'fc2' }),
  ]);
}

/** ViT and DeiT, which has one token more for distillation. */
export function readVit(fields: ConfigFields, modelClass: ModelClass): ReadArchitecture {
  const isDeit = fields.text('model_type', 'vit') === 'deit';
  const hiddenSize = fields.size('hidden_size');
  const patch = fields.sides('patch_size');
  const patches = patchCount(fields);
  const channels = fields.sizeOr('num_channels', 3);
  const extraTokens = isDeit ? 2 : 1;
  const { layers, nodes } = vitLayers(fields, hiddenSize);
  const stack = patchStack(fields, {
    hiddenSize,
    positions: { kind: 'learned' },
    extraTokens,
    layers,
    path: '',
    finalNorm: layerNorm,
  });
  const tokens = [
    tensor('cls_token', 1, 1, hiddenSize),
    laterTensor('position_embeddings', 1, patches + extraTokens, hiddenSize),
    ...(isDeit ? [tensor('distillation_token', 1, 1, hiddenSize)] : []),
  ];
  const children = [
    group(
      'embeddings',
      [group('patch_embeddings', [convolution('projection', channels, hiddenSize, patch)])],
      tokens,
    ),
    list('layers', nodes),
    norm('layernorm', hiddenSize, layerNorm),
  ];
  return vitModel(fields, modelClass, stack, children, isDeit ? 'deit' : 'vit');
}

function vitModel(
  fields: ConfigFields,
  modelClass: ModelClass,
  stack: Stack,
  children: readonly ModuleNode[],
  base: string,
): ReadArchitecture {
  const { hiddenSize } = stack;
  const common = { family: 'vit', className: modelClass.name, connectors: [] };
  if (/ForMaskedImageModeling$/.test(modelClass.name))
    return maskedImages(fields, modelClass, stack, children, base);
  if (modelClass.kind !== 'image-classification') {
    const size = fields.sizeOr('pooler_output_size', hiddenSize);
    return {
      ...common,
      stacks: [stack],
      head: { kind: 'pooler' },
      modules: group('', [...children, group('pooler', [linear('dense', hiddenSize, size, true)])]),
      warnings: [],
    };
  }
  const { labels } = modelClass;
  const head: Head = { kind: 'classifier', labels, over: 'input', transform: null, dropout: 0 };
  const names = /WithTeacher$/.test(modelClass.name)
    ? ['cls_classifier', 'distillation_classifier']
    : ['classifier'];
  return {
    ...common,
    stacks: [placed(stack, base)],
    head,
    modules: group('', [
      group(base, children),
      ...names.map((name) => linear(name, hiddenSize, labels, true)),
    ]),
    warnings: [],
  };
}

/** The class that paints masked patches: a mask token more, and a convolution that unfolds patches into pixels. */
function maskedImages(
  fields: ConfigFields,
  modelClass: ModelClass,
  stack: Stack,
  children: readonly ModuleNode[],
  base: string,
): ReadArchitecture {
  const { hiddenSize } = stack;
  const stride = fields.sizeOr('encoder_stride', 16);
  const pixels = stride * stride * fields.sizeOr('num_channels', 3);
  const mask = tensor('mask_token', 1, 1, hiddenSize);
  const withMask = children.map((child) =>
    child.name === 'embeddings'
      ? { ...child, parameters: [...child.parameters.slice(0, 1), mask, ...child.parameters.slice(1)] }
      : child,
  );
  return {
    family: 'vit',
    className: modelClass.name,
    connectors: [],
    stacks: [placed(stack, base)],
    head: { kind: 'other' },
    modules: group('', [
      group(base, withMask),
      list('decoder', [convolution('', hiddenSize, pixels, [1, 1])]),
    ]),
    warnings: [],
  };
}
