import type { Backbone } from '../../model/backbone';
import type { ConfigFields } from '../../model/configFields';
import type { ModuleNode } from '../../model/modules';
import { group, linear, tensor } from '../../model/nodes';
import type { Tower } from '../common/config/patchTower';
import { towerFirst } from '../common/config/towerBeforeLanguage';
import { type VisionLanguageStyle, visionLanguageReader } from '../common/config/visionLanguage';
import { defaults } from './defaults';

/** Two layers with an activation between: LLaVA's projector. Layers taken from several depths are joined. */
function llavaProjector(fields: ConfigFields, tower: Tower, backbone: Backbone): ModuleNode {
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
  parts: (fields, backbone, listed) =>
    towerFirst(
      fields,
      { tower: 'vision_tower', type: 'clip_vision_model', missing: defaults.llava_tower.part },
      listed,
      (tower) => llavaProjector(fields, tower, backbone),
    ),
};

/** LLaVA 1.5, also in the files of its first code. */
export const readLlava = visionLanguageReader(llavaStyle);

const newline = (backbone: Backbone): ReturnType<typeof tensor>[] => [
  tensor('image_newline', backbone.stack.hiddenSize),
];

/** LLaVA-NeXT: LLaVA with a learned line break between rows of tiles. */
export const readLlavaNext = visionLanguageReader({
  ...llavaStyle,
  tie: { by: 'whole', fallback: false },
  ownParameters: newline,
});

/** LLaVA-OneVision: SigLIP's tower before Qwen2. */
export const readLlavaOnevision = visionLanguageReader({
  ...llavaStyle,
  textType: 'qwen2',
  ownParameters: newline,
  parts: (fields, backbone, listed) =>
    towerFirst(
      fields,
      { tower: 'vision_tower', type: 'siglip_vision_model', missing: defaults.llava_onevision_tower.part },
      listed,
      (tower) => llavaProjector(fields, tower, backbone),
    ),
});
