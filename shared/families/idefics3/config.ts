import { group, linear } from '../../model/nodes';
import { towerFirst } from '../common/config/towerBeforeLanguage';
import { visionLanguageReader } from '../common/config/visionLanguage';

/** Idefics3 and SmolVLM: neighbouring patches joined, then one matrix. */
export const readIdefics3 = visionLanguageReader({
  family: 'idefics3',
  textType: 'llama',
  tie: { by: 'whole', fallback: false },
  languageName: 'text_model',
  parts: (fields, backbone, listed) =>
    towerFirst(
      fields,
      { tower: 'vision_model', type: 'idefics3_vision', missing: {} },
      listed,
      ({ stack: { hiddenSize } }) => {
        const joined = fields.sizeOr('scale_factor', 2) ** 2 * hiddenSize;
        return group('connector', [
          group('modality_projection', [linear('proj', joined, backbone.stack.hiddenSize)]),
        ]);
      },
    ),
});
