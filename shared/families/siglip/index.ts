/** SigLIP: both towers, or one of them. */
import type { Family } from '../declaration';
import { clipVision } from '../common/config/imageTextTowers';
import { defaults } from './defaults';
import { siglip, siglipTextModel, siglipVisionModel } from './config';
import { siglipLoss } from './simulation';

export const family: Family = {
  name: 'siglip',
  modelTypes: {
    siglip: { kind: 'model', baseClass: 'SiglipModel', read: siglip },
    siglip_text_model: { kind: 'model', baseClass: 'SiglipTextModel', read: siglipTextModel },
    siglip_vision_model: {
      kind: 'model',
      baseClass: 'SiglipVisionModel',
      read: siglipVisionModel,
      defaults: defaults.siglip_vision_model,
    },
  },
  towers: {
    siglip_vision_model: {
      read: (fields) => clipVision(fields, 'siglip'),
      defaults: defaults.siglip_vision_model.part,
    },
  },
  simulation: {
    simulate: siglipLoss,
    supports: ({ head, modelType }) => head.kind === 'contrastive' && modelType === 'siglip',
  },
};
