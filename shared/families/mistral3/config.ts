import { group, linear, norm } from '../../model/nodes';
import { rmsNorm } from '../../model/norms';
import { towerFirst } from '../common/config/towerBeforeLanguage';
import { visionLanguageReader } from '../common/config/visionLanguage';
import { defaults } from './defaults';

/** Mistral Small 3 and Ministral 3: Pixtral's tower, patches merged two by two. */
export const readMistral3 = visionLanguageReader({
  family: 'mistral3',
  textType: 'mistral',
  tie: { by: 'either' },
  parts: (fields, backbone, listed) =>
    towerFirst(
      fields,
      { tower: 'vision_tower', type: 'pixtral', missing: defaults.mistral3_tower.part },
      listed,
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
