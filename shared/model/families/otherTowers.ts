/** Models that join a tower of another kind: Whisper's encoder for audio, Kimi's, GLM's and MiniMax's for images. */
import type { Backbone } from '../backbone';
import type { ReadArchitecture } from '../decoderClasses';
import { Fields } from '../fields';
import type { ModelClass } from '../modelClass';
import type { ModuleNode } from '../modules';
import { group, linear, norm } from '../nodes';
import { layerNorm } from '../norms';
import { towerDefaults } from '../towerDefaults';
import { whisperEncoder } from './bart';
import { glmVision, kimiVision } from './imageTowers';
import { minimaxM3Vision } from './minimaxM3';
import {
  connectorPart,
  towerPart,
  visionLanguage,
  type Part,
  type VisionLanguageStyle,
} from './visionLanguage';

const reader =
  (style: VisionLanguageStyle) =>
  (fields: Fields, modelClass: ModelClass): ReadArchitecture =>
    visionLanguage(fields, modelClass, style);

const language: Part = { kind: 'language' };

const partOf = (fields: Fields, name: string, type: string): Fields =>
  (fields.part(name) ?? new Fields({}, fields.pathOf(name))).over(towerDefaults[type] ?? {});

/** Whisper's encoder under `audio_tower`. */
function audioTower(fields: Fields, type: string): { readonly part: Part; readonly size: number } {
  const own = partOf(fields, 'audio_config', type);
  const { stack, node } = whisperEncoder(own, 'audio_tower');
  return { part: { kind: 'tower', tower: { stack, node, connector: null } }, size: stack.hiddenSize };
}

/** Voxtral: four frames of Whisper's encoder joined, then an MLP without bias. */
export const voxtral = reader({
  family: 'voxtral',
  baseClass: 'VoxtralModel',
  textType: 'llama',
  tie: { by: 'never' },
  parts: (fields, backbone) => {
    const own = partOf(fields, 'audio_config', 'voxtral_encoder');
    const { part } = audioTower(fields, 'voxtral_encoder');
    const inputSize = own.size('intermediate_size');
    const outputSize = backbone.stack.hiddenSize;
    const projector = group('multi_modal_projector', [
      linear('linear_1', inputSize, outputSize),
      linear('linear_2', outputSize, outputSize),
    ]);
    const facts = { inputSize, outputSize, widths: [outputSize], activation: 'gelu', merge: 4 };
    return [part, language, connectorPart(projector, facts)];
  },
});

export const qwen2Audio = reader({
  family: 'qwen2_audio',
  baseClass: 'Qwen2AudioModel',
  textType: 'qwen2',
  tie: { by: 'never' },
  parts: (fields, backbone) => {
    const { part, size } = audioTower(fields, 'qwen2_audio_encoder');
    const outputSize = backbone.stack.hiddenSize;
    const projector: ModuleNode = group('multi_modal_projector', [linear('linear', size, outputSize, true)]);
    const facts = { inputSize: size, outputSize, widths: [], activation: null, merge: 1 };
    return [part, connectorPart(projector, facts), language];
  },
});

/** MiniMax M3: each patch projected, then four of them joined and projected again. */
export const minimaxM3 = reader({
  family: 'minimax_m3',
  baseClass: 'MiniMaxM3VLModel',
  textType: 'minimax_m3_vl_text',
  tie: { by: 'either' },
  parts: (fields, backbone: Backbone) => {
    const own = partOf(fields, 'vision_config', 'minimax_m3_vl_vision');
    const tower = minimaxM3Vision(own);
    const size = tower.stack.hiddenSize;
    const output = backbone.stack.hiddenSize;
    const width = fields.sizeOr('projector_hidden_size', output);
    const merge = own.sizeOr('spatial_merge_size', 2) ** 2;
    const projector = group('multi_modal_projector', [
      linear('linear_1', size, width, true),
      linear('linear_2', width, output, true),
      linear('merge_linear_1', output * merge, width, true),
      linear('merge_linear_2', width, output, true),
    ]);
    const facts = {
      inputSize: size,
      outputSize: output,
      widths: [width, output, width],
      activation: 'gelu',
      merge,
    };
    return [
      towerPart('vision_tower', 'minimax_m3_vl_vision', tower),
      connectorPart(projector, facts),
      language,
    ];
  },
});

/** Kimi K2.5: four patches joined and projected. */
export const kimiK25 = reader({
  family: 'kimi_k25',
  baseClass: 'Kimi_K25Model',
  textType: 'deepseek_v3',
  tie: { by: 'either' },
  parts: (fields, backbone: Backbone) => {
    const own = partOf(fields, 'vision_config', 'kimi_k25_vision');
    const tower = kimiVision(own);
    const merge = (own.wholes('merge_kernel_size') ?? [2, 2]).reduce((product, side) => product * side, 1);
    const size = own.sizeOr(
      'mm_hidden_size',
      fields.sizeOr('projection_hidden_size', tower.stack.hiddenSize),
    );
    const inputSize = tower.stack.hiddenSize * merge;
    const outputSize = backbone.stack.hiddenSize;
    const projector = group('mm_projector', [
      norm('pre_norm', size, layerNorm(1e-5)),
      linear('in_proj', inputSize, inputSize, true),
      linear('out_proj', inputSize, outputSize, true),
    ]);
    const facts = { inputSize, outputSize, widths: [inputSize], activation: 'gelu', merge };
    return [towerPart('vision_tower', 'kimi_k25_vision', tower), language, connectorPart(projector, facts)];
  },
});

export const glm4v = reader({
  family: 'glm4v',
  baseClass: 'Glm4vModel',
  textType: 'glm4v_text',
  tie: { by: 'either' },
  parts: (fields) => [
    towerPart('visual', 'glm4v_vision', glmVision(partOf(fields, 'vision_config', 'glm4v_vision'))),
    language,
  ],
});
