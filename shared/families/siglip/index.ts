/** SigLIP: both towers, or one of them. */
import type { Family } from '../declaration';
import { clipVision } from '../common/config/imageTextTowers';
import { defaults } from './defaults';
import { readSiglip, readSiglipTextModel, readSiglipVisionModel } from './config';
import { simulateSiglip } from './simulation';

export const family: Family = {
  name: 'siglip',
  modelTypes: {
    siglip: { kind: 'model', baseClass: 'SiglipModel', read: readSiglip },
    siglip_text_model: { kind: 'model', baseClass: 'SiglipTextModel', read: readSiglipTextModel },
    siglip_vision_model: {
      kind: 'model',
      baseClass: 'SiglipVisionModel',
      read: readSiglipVisionModel,
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
    simulate: simulateSiglip,
    recorded: ['siglip'],
    supports: ({ head, modelType }) => head.kind === 'contrastive' && modelType === 'siglip',
  },
};
