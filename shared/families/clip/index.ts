/** CLIP: both towers, or one of them. */
import type { Family } from '../declaration';
import { readClip, readClipTextModel, readClipVisionModel } from './config';
import { simulateClip } from './simulation';
import { clipVision } from '../common/config/imageTextTowers';
import { defaults } from './defaults';

export const family: Family = {
  name: 'clip',
  modelTypes: {
    clip: { kind: 'model', baseClass: 'CLIPModel', read: readClip },
    clip_text_model: { kind: 'model', baseClass: 'CLIPTextModel', read: readClipTextModel },
    clip_vision_model: {
      kind: 'model',
      baseClass: 'CLIPVisionModel',
      read: readClipVisionModel,
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
    simulate: simulateClip,
    recorded: ['clip'],
    supports: ({ head }) => head.kind === 'contrastive',
  },
};
