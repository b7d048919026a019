import { group, linear, norm } from '../../model/nodes';
import { layerNorm } from '../../model/norms';
import { towerFirst } from '../common/config/towerBeforeLanguage';
import { visionLanguageReader } from '../common/config/visionLanguage';

/** InternVL in transformers: four patches joined, normed, and two layers. */
export const readInternVl = visionLanguageReader({
  family: 'internvl',
  textType: 'qwen2',
  tie: { by: 'either' },
  parts: (fields, backbone, listed) =>
    towerFirst(
      fields,
      { tower: 'vision_tower', type: 'internvl_vision', missing: {} },
      listed,
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
