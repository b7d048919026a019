/** wav2vec 2.0 and HuBERT. */
import type { Family } from '../declaration';
import { readWav2vec2 } from './config';

export const family: Family = {
  name: 'wav2vec2',
  modelTypes: {
    wav2vec2: { kind: 'model', baseClass: 'Wav2Vec2Model', read: readWav2vec2 },
    hubert: { kind: 'model', baseClass: 'HubertModel', read: readWav2vec2 },
  },
  simulation: null,
};
