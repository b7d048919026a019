import { group, linear, norm } from '../../model/nodes';
import { layerNorm } from '../../model/norms';
import { towerFirst } from '../common/config/towerBeforeLanguage';
import { visionLanguageReader } from '../common/config/visionLanguage';
import { defaults } from './defaults';

/** Aya Vision: pixel shuffle, then a gated MLP. */
export const readAyaVision = visionLanguageReader({
  family: 'aya_vision',
  textType: 'cohere2',
  tie: { by: 'whole', fallback: true },
  parts: (fields, backbone, listed) =>
    towerFirst(
      fields,
      { tower: 'vision_tower', type: 'siglip_vision_model', missing: defaults.aya_vision_tower.part },
      listed,
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
