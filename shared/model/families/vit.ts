/** Vision transformers: patches of an image as tokens, a class token in front, blocks normed before each branch. */
import type { Head, Layer, Norm, Stack } from '../architecture';
import { allBias, attentionNode, llamaAttention, noBias, softmaxAttention } from '../attention';
import { placed, type ReadArchitecture } from '../decoderClasses';
import { gatedMlp, llamaMlp, mlpNode } from '../feedForward';
import { classWarnings } from '../facts';
import type { Fields } from '../fields';
import { type BuiltLayers, buildLayers, ordinaryParts } from '../layers';
import type { ModelClass } from '../modelClass';
import type { ModuleNode } from '../modules';
import { block, convolution, group, laterTensor, linear, list, norm, tensor } from '../nodes';
import { layerNorm } from '../norms';

/** Patches of an image along both sides; null where the config does not fix the image's size. */
export function patchCount(fields: Fields): number | null {
  const image = fields.pair('image_size');
  const patch = fields.pair('patch_size');
  if (image === null || patch === null) return null;
  return Math.floor(image[0] / patch[0]) * Math.floor(image[1] / patch[1]);
}

/** The same of a model whose table has a row for each patch: without both sizes there is no count. */
export function fixedPatchCount(fields: Fields): number {
  const count = patchCount(fields);
  if (count === null) throw fields.missing(fields.has('image_size') ? 'patch_size' : 'image_size');
  return count;
}

/**
 * Sizes that ViT's, DeiT's, BEiT's and DINOv2's config classes take where a file is silent.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/vit/configuration_vit.py#L59
 */
export const smallImages = { image_size: 224, patch_size: 16 };

function vitLayers(fields: Fields, hiddenSize: number, kind: Norm): BuiltLayers {
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
    norm: kind,
    placement: 'pre',
    norms: 2,
  };
  return buildLayers(
    fields.layers(),
    () => facts,
    (layer) => vitBlock(layer, hiddenSize, kind),
  );
}

function vitBlock(layer: Layer, hiddenSize: number, kind: Norm): ModuleNode {
  const { attention: mixer, mlp: feedForward } = ordinaryParts(layer);
  return block([
    attentionNode(mixer, hiddenSize, { ...llamaAttention, module: 'attention' }),
    norm('layernorm_before', hiddenSize, kind),
    norm('layernorm_after', hiddenSize, kind),
    mlpNode(feedForward, hiddenSize, { ...llamaMlp, up: 'fc1', down: 'fc2' }),
  ]);
}

/** ViT and DeiT, which has one token more for distillation. */
export function vit(file: Fields, modelClass: ModelClass): ReadArchitecture {
  const fields = file.over(smallImages);
  const isDeit = fields.text('model_type', 'vit') === 'deit';
  const hiddenSize = fields.size('hidden_size');
  const kind = layerNorm(fields.number('norm_eps', 1e-12));
  const patch = fields.pair('patch_size') ?? [16, 16];
  const patches = fixedPatchCount(fields);
  const channels = fields.sizeOr('num_channels', 3);
  const extraTokens = isDeit ? 2 : 1;
  const { layers, nodes } = vitLayers(fields, hiddenSize, kind);
  const stack: Stack = {
    role: 'vision',
    path: '',
    hiddenSize,
    inputs: {
      kind: 'patches',
      imageSize: fields.pair('image_size')?.[0] ?? null,
      patchSize: patch[0],
      channels,
      patches,
      extraTokens,
      bias: true,
      norm: null,
    },
    positions: { kind: 'learned', rows: patches + extraTokens },
    layers,
    finalNorm: kind,
    maxPositions: patches + extraTokens,
    dropout: {
      embedding: fields.number('hidden_dropout_prob', 0),
      residual: fields.number('hidden_dropout_prob', 0),
      activation: 0,
      layer: 0,
    },
  };
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
    norm('layernorm', hiddenSize, kind),
  ];
  return vitModel(fields, modelClass, stack, children, isDeit ? 'deit' : 'vit');
}

function vitModel(
  fields: Fields,
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
      head: { kind: 'pooler', size },
      modules: group('', [...children, group('pooler', [linear('dense', hiddenSize, size, true)])]),
      warnings: classWarnings(modelClass),
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
  fields: Fields,
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
    head: { kind: 'other', name: 'masked-image-modeling' },
    modules: group('', [
      group(base, withMask),
      list('decoder', [convolution('', hiddenSize, pixels, [1, 1])]),
    ]),
    warnings: [],
  };
}
