import type { ReadArchitecture } from '../../model/decoderClasses';
import type { ConfigFields } from '../../model/configFields';
import type { ModelClass } from '../../model/modelClass';
import { defaults } from './defaults';
import { both, readText, readVision } from '../common/config/imageTextTowers';

/** SigLIP's text tower alone. */
export const readSiglipTextModel = readText('siglip');

/** SigLIP's vision tower alone. */
export const readSiglipVisionModel = readVision('siglip');

/** Both towers of SigLIP. */
export const readSiglip = (fields: ConfigFields, modelClass: ModelClass): ReadArchitecture =>
  both(fields, modelClass, 'siglip', {
    text: defaults.siglip_text_model.part,
    vision: defaults.siglip_vision_model.part,
  });
