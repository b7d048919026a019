import type { ReadArchitecture } from '../../model/decoderClasses';
import type { Fields } from '../../model/fields';
import type { ModelClass } from '../../model/modelClass';
import { defaults } from './defaults';
import { both, readText, readVision } from '../common/config/imageTextTowers';

/** SigLIP's text tower alone. */
export const siglipTextModel = readText('siglip');

/** SigLIP's vision tower alone. */
export const siglipVisionModel = readVision('siglip');

/** Both towers of SigLIP. */
export const siglip = (fields: Fields, modelClass: ModelClass): ReadArchitecture =>
  both(fields, modelClass, 'siglip', {
    text: defaults.siglip_text_model.part,
    vision: defaults.siglip_vision_model.part,
  });
