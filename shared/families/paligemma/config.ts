import { group, linear } from '../../model/nodes';
import { towerFirst } from '../common/config/towerBeforeLanguage';
import { visionLanguageReader } from '../common/config/visionLanguage';
import { defaults } from './defaults';

/** PaliGemma and PaliGemma 2: one matrix to `projection_dim`, which the whole config says. */
export const readPaligemma = visionLanguageReader({
  family: 'paligemma',
  textType: 'gemma',
  tie: { by: 'whole', fallback: true },
  parts: (fields, _language, listed) =>
    towerFirst(
      fields,
      { tower: 'vision_tower', type: 'siglip_vision_model', missing: defaults.paligemma_tower.part },
      listed,
      ({ stack: { hiddenSize } }) =>
        group('multi_modal_projector', [
          linear('linear', hiddenSize, fields.sizeOr('projection_dim', 2048), true),
        ]),
    ),
});
