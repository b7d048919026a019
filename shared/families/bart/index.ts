/** BART and the encoder-decoders built like it. */
import type { Family } from '../declaration';
import { bart } from './config';
import { simulateBart, isBartCode } from './simulation';
import { defaults } from './defaults';

export const family: Family = {
  name: 'bart',
  modelTypes: {
    bart: { kind: 'model', baseClass: 'BartModel', read: bart },
    mbart: { kind: 'model', baseClass: 'MBartModel', read: bart },
    plbart: { kind: 'model', baseClass: 'PLBartModel', read: bart },
    pegasus: { kind: 'model', baseClass: 'PegasusModel', read: bart },
    marian: { kind: 'model', baseClass: 'MarianModel', read: bart },
    blenderbot: { kind: 'model', baseClass: 'BlenderbotModel', read: bart, defaults: defaults.blenderbot },
    'blenderbot-small': {
      kind: 'model',
      baseClass: 'BlenderbotSmallModel',
      read: bart,
      defaults: defaults['blenderbot-small'],
    },
    m2m_100: { kind: 'model', baseClass: 'M2M100Model', read: bart },
  },
  simulation: {
    simulate: simulateBart,
    recorded: ['bart', 'marian', 'mbart', 'pegasus'],
    supports: ({ head, modelType }) =>
      head.kind === 'language-model' && head.objective === 'sequence-to-sequence' && isBartCode(modelType),
  },
};
