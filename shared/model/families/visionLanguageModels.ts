/** The vision-language and audio-language models of transformers, each as its towers, its connector and its language model. */
import type { Backbone } from '../backbone';
import type { ReadArchitecture } from '../decoderClasses';
import { Fields } from '../fields';
import type { ModelClass } from '../modelClass';
import { group, linear, norm, tensor } from '../nodes';
import { layerNorm, rmsNorm } from '../norms';
import { towerDefaults } from '../towerDefaults';
import type { Tower } from './clip';
import { gemma4Vision } from './gemma4';
import { qwen25Vision, qwen2Vision, qwen3Vision } from './qwenVision';
import {
  connectorPart,
  towerPart,
  visionLanguage,
  type Part,
  type VisionLanguageStyle,
} from './visionLanguage';
import { visionTower } from './visionTowers';

type Reader = (fields: Fields, modelClass: ModelClass) => ReadArchitecture;

const reader =
  (style: VisionLanguageStyle): Reader =>
  (fields, modelClass) =>
    visionLanguage(fields, modelClass, style);

const language: Part = { kind: 'language' };

const partOf = (fields: Fields, name: string): Fields =>
  fields.part(name) ?? new Fields({}, fields.pathOf(name));

/** The vision tower of `vision_config`, of its own type or of the one that the family uses. */
function vision(fields: Fields, name: string, fallbackType: string): { part: Part; tower: Tower | null } {
  const own = partOf(fields, 'vision_config');
  const tower = visionTower(own, fallbackType);
  return { part: towerPart(name, own.text('model_type', fallbackType), tower), tower };
}

/** Two layers with an activation between: LLaVA's projector. Layers taken from several depths are joined. */
function llavaProjector(fields: Fields, tower: Tower | null, backbone: Backbone): readonly Part[] {
  if (tower === null) return [];
  const layers = fields.find('vision_feature_layer')?.value;
  const joined = Array.isArray(layers) ? Math.max(1, layers.length) : 1;
  const inputSize = tower.stack.hiddenSize * joined;
  const outputSize = backbone.stack.hiddenSize;
  const bias = fields.flag('multimodal_projector_bias', true);
  return [
    connectorPart(
      group('multi_modal_projector', [
        linear('linear_1', inputSize, outputSize, bias),
        linear('linear_2', outputSize, outputSize, bias),
      ]),
      {
        inputSize,
        outputSize,
        widths: [outputSize],
        activation: fields.text('projector_hidden_act', 'gelu'),
        merge: 1,
      },
    ),
  ];
}

/**
 * CLIP ViT-L/14 at 336 pixels, which LLaVA has where a file describes no tower: both transformers' default and what the
 * files of the first code name in `mm_vision_tower`.
 */
const clipLarge336 = {
  model_type: 'clip_vision_model',
  hidden_size: 1024,
  intermediate_size: 4096,
  num_hidden_layers: 24,
  num_attention_heads: 16,
  image_size: 336,
  patch_size: 14,
};

const withTower = (fields: Fields): Fields =>
  fields.has('vision_config') ? fields : fields.over({ vision_config: clipLarge336 });

const llavaStyle: VisionLanguageStyle = {
  family: 'llava',
  baseClass: 'LlavaModel',
  textType: 'llama',
  tie: { by: 'either' },
  parts: (fields, backbone) => {
    const { part, tower } = vision(withTower(fields), 'vision_tower', 'clip_vision_model');
    return [part, ...llavaProjector(fields, tower, backbone), language];
  },
};

export const llava = reader(llavaStyle);

const newline = (backbone: Backbone): ReturnType<typeof tensor>[] => [
  tensor('image_newline', backbone.stack.hiddenSize),
];

export const llavaNext = reader({
  ...llavaStyle,
  baseClass: 'LlavaNextModel',
  tie: { by: 'whole', fallback: false },
  ownParameters: newline,
});

export const llavaOnevision = reader({
  ...llavaStyle,
  baseClass: 'LlavaOnevisionModel',
  textType: 'qwen2',
  ownParameters: newline,
  parts: (fields, backbone) => {
    const { part, tower } = vision(fields, 'vision_tower', 'siglip_vision_model');
    return [part, ...llavaProjector(fields, tower, backbone), language];
  },
});

/** Mistral Small 3 and Ministral 3: Pixtral's tower, patches merged two by two. */
export const mistral3 = reader({
  family: 'mistral3',
  baseClass: 'Mistral3Model',
  textType: 'mistral',
  tie: { by: 'either' },
  parts: (fields, backbone) => {
    const { part, tower } = vision(fields, 'vision_tower', 'pixtral');
    if (tower === null) return [part, language];
    const size = tower.stack.hiddenSize;
    const output = backbone.stack.hiddenSize;
    const merge = fields.sizeOr('spatial_merge_size', 2) ** 2;
    const bias = fields.flag('multimodal_projector_bias', false);
    const projector = group('multi_modal_projector', [
      norm('norm', size, rmsNorm(1e-5)),
      group('patch_merger', [linear('merging_layer', size * merge, size)]),
      linear('linear_1', size, output, bias),
      linear('linear_2', output, output, bias),
    ]);
    const facts = { inputSize: size, outputSize: output, widths: [size, output], activation: 'gelu', merge };
    return [part, connectorPart(projector, facts), language];
  },
});

/** Gemma 3: SigLIP's patches averaged, normed, and multiplied by one matrix. */
export const gemma3 = reader({
  family: 'gemma3',
  baseClass: 'Gemma3Model',
  textType: 'gemma3_text',
  tie: { by: 'whole', fallback: true },
  parts: (fields, backbone) => {
    const { part, tower } = vision(fields, 'vision_tower', 'siglip_vision_model');
    if (tower === null) return [part, language];
    const size = tower.stack.hiddenSize;
    const output = backbone.stack.hiddenSize;
    const projector = group(
      'multi_modal_projector',
      [norm('mm_soft_emb_norm', size, { ...rmsNorm(1e-6), onePlusWeight: true })],
      [tensor('mm_input_projection_weight', size, output)],
    );
    const facts = { inputSize: size, outputSize: output, widths: [], activation: null, merge: 1 };
    return [part, connectorPart(projector, facts), language];
  },
});

export const paligemma = reader({
  family: 'paligemma',
  baseClass: 'PaliGemmaModel',
  textType: 'gemma',
  tie: { by: 'whole', fallback: true },
  parts: (fields, backbone) => {
    const { part, tower } = vision(fields, 'vision_tower', 'siglip_vision_model');
    if (tower === null) return [part, language];
    const size = tower.stack.hiddenSize;
    const output = partOf(fields, 'vision_config').sizeOr(
      'projection_dim',
      fields.sizeOr('projection_dim', backbone.stack.hiddenSize),
    );
    const projector = group('multi_modal_projector', [linear('linear', size, output, true)]);
    const facts = { inputSize: size, outputSize: output, widths: [], activation: null, merge: 1 };
    return [part, connectorPart(projector, facts), language];
  },
});

/** Idefics3 and SmolVLM: neighbouring patches joined, then one matrix. */
export const idefics3 = reader({
  family: 'idefics3',
  baseClass: 'Idefics3Model',
  textType: 'llama',
  tie: { by: 'whole', fallback: false },
  languageName: 'text_model',
  parts: (fields, backbone) => {
    const { part, tower } = vision(fields, 'vision_model', 'idefics3_vision');
    if (tower === null) return [part, language];
    const merge = fields.sizeOr('scale_factor', 2) ** 2;
    const inputSize = tower.stack.hiddenSize * merge;
    const outputSize = backbone.stack.hiddenSize;
    const connector = group('connector', [
      group('modality_projection', [linear('proj', inputSize, outputSize)]),
    ]);
    const facts = { inputSize, outputSize, widths: [], activation: null, merge };
    return [part, connectorPart(connector, facts), language];
  },
});

export const internVl = reader({
  family: 'internvl',
  baseClass: 'InternVLModel',
  textType: 'qwen2',
  tie: { by: 'either' },
  parts: (fields, backbone) => {
    const { part, tower } = vision(fields, 'vision_tower', 'internvl_vision');
    if (tower === null) return [part, language];
    const merge = Math.round((1 / fields.number('downsample_ratio', 0.5)) ** 2);
    const inputSize = tower.stack.hiddenSize * merge;
    const outputSize = backbone.stack.hiddenSize;
    const projector = group('multi_modal_projector', [
      norm('layer_norm', inputSize, layerNorm(1e-5)),
      linear('linear_1', inputSize, outputSize, true),
      linear('linear_2', outputSize, outputSize, true),
    ]);
    const facts = { inputSize, outputSize, widths: [outputSize], activation: 'gelu', merge };
    return [part, connectorPart(projector, facts), language];
  },
});

/** Aya Vision: pixel shuffle, then a gated MLP. */
export const ayaVision = reader({
  family: 'aya_vision',
  baseClass: 'AyaVisionModel',
  textType: 'cohere2',
  tie: { by: 'whole', fallback: true },
  parts: (fields, backbone) => {
    const { part, tower } = vision(fields, 'vision_tower', 'siglip_vision_model');
    if (tower === null) return [part, language];
    const merge = fields.sizeOr('downsample_factor', 2) ** 2;
    const inputSize = tower.stack.hiddenSize * merge;
    const outputSize = backbone.stack.hiddenSize;
    const width = fields.sizeOr('alignment_intermediate_size', outputSize);
    const projector = group('multi_modal_projector', [
      norm('layernorm', inputSize, layerNorm(1e-6)),
      linear('linear_1', inputSize, width, true),
      linear('linear_2', Math.floor(width / 2), outputSize, true),
    ]);
    const facts = { inputSize, outputSize, widths: [width], activation: 'silu', merge };
    return [part, connectorPart(projector, facts), language];
  },
});

const qwenStyle = (
  names: Pick<VisionLanguageStyle, 'family' | 'baseClass' | 'textType' | 'tie'>,
  tower: (fields: Fields) => Tower,
  towerType: string,
): VisionLanguageStyle => ({
  ...names,
  parts: (fields) => {
    const own = partOf(fields, 'vision_config').over(towerDefaults[towerType] ?? {});
    return [towerPart('visual', towerType, tower(own)), language];
  },
});

const qwen2Text = { textType: 'qwen2_vl_text', tie: { by: 'either' } } as const;

export const qwen2Vl = reader(
  qwenStyle({ family: 'qwen2_vl', baseClass: 'Qwen2VLModel', ...qwen2Text }, qwen2Vision, 'qwen2_vl_vision'),
);
export const qwen25Vl = reader(
  qwenStyle(
    { family: 'qwen2_5_vl', baseClass: 'Qwen2_5_VLModel', ...qwen2Text, textType: 'qwen2_5_vl_text' },
    qwen25Vision,
    'qwen2_5_vl_vision',
  ),
);

const untiedUnlessSaid = { by: 'whole', fallback: false } as const;

const qwen3Reader = (baseClass: string, family: string, textType: string, towerType: string): Reader =>
  reader(qwenStyle({ family, baseClass, textType, tie: untiedUnlessSaid }, qwen3Vision, towerType));

export const qwen3Vl = qwen3Reader('Qwen3VLModel', 'qwen3_vl', 'qwen3_vl_text', 'qwen3_vl_vision');
export const qwen3VlMoe = qwen3Reader(
  'Qwen3VLMoeModel',
  'qwen3_vl',
  'qwen3_vl_moe_text',
  'qwen3_vl_moe_vision',
);
export const qwen35 = qwen3Reader('Qwen3_5Model', 'qwen3_5', 'qwen3_5_text', 'qwen3_5_vision');
export const qwen35Moe = qwen3Reader('Qwen3_5MoeModel', 'qwen3_5', 'qwen3_5_moe_text', 'qwen3_5_moe_vision');

/** Gemma 4: its tower's patches normed without a weight and multiplied by one matrix; the audio tower is not modelled. */
export const gemma4 = reader({
  family: 'gemma4',
  baseClass: 'Gemma4Model',
  textType: 'gemma4_text',
  tie: { by: 'whole', fallback: true },
  parts: (fields, backbone) => {
    const own = fields.part('vision_config')?.over(towerDefaults['gemma4_vision'] ?? {}) ?? null;
    const audio = fields.part('audio_config');
    const unread: readonly Part[] =
      audio === null
        ? []
        : [{ kind: 'unknown', name: 'audio_config', modelType: audio.text('model_type', 'gemma4_audio') }];
    if (own === null) return [language, ...unread];
    const inputSize = own.size('hidden_size');
    const outputSize = backbone.stack.hiddenSize;
    const connector = group('embed_vision', [linear('embedding_projection', inputSize, outputSize)]);
    const facts = { inputSize, outputSize, widths: [], activation: null, merge: 9 };
    return [
      towerPart('vision_tower', 'gemma4_vision', gemma4Vision(own)),
      language,
      connectorPart(connector, facts),
      ...unread,
    ];
  },
});
