/** CLIP: both towers, or one of them. */
import type { Family } from '../declaration';
import { clip, clipTextModel, clipVisionModel } from './config';
import { clipLoss } from './simulation';
import { clipVision } from '../common/config/imageTextTowers';
import { defaults } from './defaults';

export const family: Family = {
  name: 'clip',
  modelTypes: {
    clip: { kind: 'model', baseClass: 'CLIPModel', read: clip },
    clip_text_model: { kind: 'model', baseClass: 'CLIPTextModel', read: clipTextModel },
    clip_vision_model: {
      kind: 'model',
      baseClass: 'CLIPVisionModel',
      read: clipVisionModel,
      defaults: defaults.clip_vision_model,
    },
  },
  towers: {
    clip_vision_model: {
      read: (fields) => clipVision(fields, 'clip'),
      defaults: defaults.clip_vision_model.part,
    },
  },
  simulation: {
    simulate: clipLoss,
    supports: ({ head }) => head.kind === 'contrastive',
  },
};
