/** CLIP and SigLIP: a text tower and a vision tower of the same blocks, compared in one space. */
import type { ReadArchitecture } from '../../model/decoderClasses';
import type { ConfigFields } from '../../model/configFields';
import type { ModelClass } from '../../model/modelClass';
import { defaults } from './defaults';
import { both, readText, readVision } from '../common/config/imageTextTowers';

/** CLIP's text tower alone. */
export const readClipTextModel = readText('clip');

/** CLIP's vision tower alone. */
export const readClipVisionModel = readVision('clip');

/** Both towers of CLIP. */
export const readClip = (fields: ConfigFields, modelClass: ModelClass): ReadArchitecture =>
  both(fields, modelClass, 'clip', {
    text: defaults.clip_text_model.part,
    vision: defaults.clip_vision_model.part,
  });
