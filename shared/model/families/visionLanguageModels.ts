/** The vision-language models of transformers whose towers are CLIP's kin, each as its tower, its connector and its language model. */
import type { Backbone } from '../backbone';
import type { Fields } from '../fields';
import type { ModuleNode } from '../modules';
import { group, linear, norm, tensor } from '../nodes';
import { layerNorm, rmsNorm } from '../norms';
import { towerFields, type Tower } from './tower';
import {
  connectorPart,
  language,
  towerPart,
  visionLanguageReader,
  type Part,
  type VisionLanguageStyle,
} from './visionLanguage';
import { visionTower } from './visionTowers';

/**
 * Tower, connector, language model. The tower is that of `vision_config`, of its own type or of `type`; where it is of an unknown type,
 * only the language model is read. Where the file describes no tower, it is the one under `missing` in the table of defaults.
 */
function towerFirst(
  fields: Fields,
  names: { readonly tower: string; readonly type: string; readonly missing: string },
  connector: (tower: Tower) => ModuleNode,
): readonly Part[] {
  const own = fields.has('vision_config')
    ? towerFields(fields, 'vision_config', '')
    : towerFields(fields, 'vision_config', names.missing);
  const modelType = own.text('model_type', names.type);
  const tower = visionTower(own, modelType);
  if (tower === null) return [{ kind: 'unknown', name: names.tower, modelType }, language];
  return [towerPart(names.tower, tower), connectorPart(connector(tower)), language];
}

/** Two layers with an activation between: LLaVA's projector. Layers taken from several depths are joined. */
function llavaProjector(fields: Fields, tower: Tower, backbone: Backbone): ModuleNode {
  const layers = fields.find('vision_feature_layer')?.value;
  const joined = Array.isArray(layers) ? Math.max(1, layers.length) : 1;
  const outputSize = backbone.stack.hiddenSize;
  const bias = fields.flag('multimodal_projector_bias', true);
  return group('multi_modal_projector', [
    linear('linear_1', tower.stack.hiddenSize * joined, outputSize, bias),
    linear('linear_2', outputSize, outputSize, bias),
  ]);
}

const llavaStyle: VisionLanguageStyle = {
  family: 'llava',
  textType: 'llama',
  tie: { by: 'either' },
  causalIsWhole: true,
  parts: (fields, backbone) =>
    towerFirst(
      fields,
      { tower: 'vision_tower', type: 'clip_vision_model', missing: 'llava_tower' },
      (tower) => llavaProjector(fields, tower, backbone),
    ),
};

/** LLaVA 1.5, also in the files of its first code. */
export const llava = visionLanguageReader(llavaStyle);

const newline = (backbone: Backbone): ReturnType<typeof tensor>[] => [
  tensor('image_newline', backbone.stack.hiddenSize),
];

/** LLaVA-NeXT: LLaVA with a learned line break between rows of tiles. */
export const llavaNext = visionLanguageReader({
  ...llavaStyle,
  tie: { by: 'whole', fallback: false },
  ownParameters: newline,
});

/** LLaVA-OneVision: SigLIP's tower before Qwen2. */
export const llavaOnevision = visionLanguageReader({
  ...llavaStyle,
  textType: 'qwen2',
  ownParameters: newline,
  parts: (fields, backbone) =>
    towerFirst(
      fields,
      { tower: 'vision_tower', type: 'siglip_vision_model', missing: 'llava_onevision_tower' },
      (tower) => llavaProjector(fields, tower, backbone),
    ),
});

/** Mistral Small 3 and Ministral 3: Pixtral's tower, patches merged two by two. */
export const mistral3 = visionLanguageReader({
  family: 'mistral3',
  textType: 'mistral',
  tie: { by: 'either' },
  parts: (fields, backbone) =>
    towerFirst(
      fields,
      { tower: 'vision_tower', type: 'pixtral', missing: 'mistral3_tower' },
      ({ stack: { hiddenSize } }) => {
        const output = backbone.stack.hiddenSize;
        const merged = fields.sizeOr('spatial_merge_size', 2) ** 2 * hiddenSize;
        const bias = fields.flag('multimodal_projector_bias', false);
        return group('multi_modal_projector', [
          norm('norm', hiddenSize, rmsNorm),
          group('patch_merger', [linear('merging_layer', merged, hiddenSize)]),
          linear('linear_1', hiddenSize, output, bias),
          linear('linear_2', output, output, bias),
        ]);
      },
    ),
});

/** Gemma 3: SigLIP's patches averaged, normed, and multiplied by one matrix. */
export const gemma3 = visionLanguageReader({
  family: 'gemma3',
  textType: 'gemma3_text',
  tie: { by: 'whole', fallback: true },
  hasClassifiers: true,
  parts: (fields, backbone) =>
    towerFirst(
      fields,
      { tower: 'vision_tower', type: 'siglip_vision_model', missing: 'siglip_vision_model' },
      ({ stack: { hiddenSize } }) =>
        group(
          'multi_modal_projector',
          [norm('mm_soft_emb_norm', hiddenSize, { ...rmsNorm, onePlusWeight: true })],
          [tensor('mm_input_projection_weight', hiddenSize, backbone.stack.hiddenSize)],
        ),
    ),
});

/** PaliGemma and PaliGemma 2: one matrix to `projection_dim`, which the whole config says. */
export const paligemma = visionLanguageReader({
  family: 'paligemma',
  textType: 'gemma',
  tie: { by: 'whole', fallback: true },
  parts: (fields) =>
    towerFirst(
      fields,
      { tower: 'vision_tower', type: 'siglip_vision_model', missing: 'paligemma_tower' },
      ({ stack: { hiddenSize } }) =>
        group('multi_modal_projector', [
          linear('linear', hiddenSize, fields.sizeOr('projection_dim', 2048), true),
        ]),
    ),
});

/** Idefics3 and SmolVLM: neighbouring patches joined, then one matrix. */
export const idefics3 = visionLanguageReader({
  family: 'idefics3',
  textType: 'llama',
  tie: { by: 'whole', fallback: false },
  languageName: 'text_model',
  parts: (fields, backbone) =>
    towerFirst(
      fields,
      { tower: 'vision_model', type: 'idefics3_vision', missing: 'idefics3_vision' },
      ({ stack: { hiddenSize } }) => {
        const joined = fields.sizeOr('scale_factor', 2) ** 2 * hiddenSize;
        return group('connector', [
          group('modality_projection', [linear('proj', joined, backbone.stack.hiddenSize)]),
        ]);
      },
    ),
});

/** InternVL in transformers: four patches joined, normed, and two layers. */
export const internVl = visionLanguageReader({
  family: 'internvl',
  textType: 'qwen2',
  tie: { by: 'either' },
  parts: (fields, backbone) =>
    towerFirst(
      fields,
      { tower: 'vision_tower', type: 'internvl_vision', missing: 'internvl_vision' },
      ({ stack: { hiddenSize } }) => {
        const joined = Math.round((1 / fields.number('downsample_ratio', 0.5)) ** 2) * hiddenSize;
        const output = backbone.stack.hiddenSize;
        return group('multi_modal_projector', [
          norm('layer_norm', joined, layerNorm),
          linear('linear_1', joined, output, true),
          linear('linear_2', output, output, true),
        ]);
      },
    ),
});

/** Aya Vision: pixel shuffle, then a gated MLP. */
export const ayaVision = visionLanguageReader({
  family: 'aya_vision',
  textType: 'cohere2',
  tie: { by: 'whole', fallback: true },
  parts: (fields, backbone) =>
    towerFirst(
      fields,
      { tower: 'vision_tower', type: 'siglip_vision_model', missing: 'aya_vision_tower' },
      ({ stack: { hiddenSize } }) => {
        const joined = fields.sizeOr('downsample_factor', 2) ** 2 * hiddenSize;
        const output = backbone.stack.hiddenSize;
        const width = fields.sizeOr('alignment_intermediate_size', output);
        return group('multi_modal_projector', [
          norm('layernorm', joined, layerNorm),
          linear('linear_1', joined, width, true),
          linear('linear_2', Math.floor(width / 2), output, true),
        ]);
      },
    ),
});
