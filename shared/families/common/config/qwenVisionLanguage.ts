import type { ConfigFields } from '../../../model/configFields';
import type { Sizes } from '../../declaration';
import { type Tower, towerFields } from './patchTower';
import { type VisionLanguageStyle, language, towerPart, visionLanguageReader } from './visionLanguage';

type QwenModel = Pick<VisionLanguageStyle, 'family' | 'textType' | 'tie' | 'hasClassifiers'>;

export const qwenReader = (
  model: QwenModel,
  towerDefaults: Sizes,
  tower: (fields: ConfigFields) => Tower,
): ReturnType<typeof visionLanguageReader> =>
  visionLanguageReader({
    ...model,
    parts: (fields) => [
      towerPart('visual', tower(towerFields(fields, 'vision_config', towerDefaults))),
      language,
    ],
  });
