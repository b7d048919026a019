/** Whisper. */
import type { Family } from '../declaration';
import { whisper } from './config';
import { whisperLoss } from './simulation';

export const family: Family = {
  name: 'whisper',
  modelTypes: {
    whisper: { kind: 'model', baseClass: 'WhisperModel', read: whisper },
  },
  simulation: {
    simulate: whisperLoss,
    supports: ({ head, stacks }) => head.kind === 'language-model' && stacks.length === 2,
  },
};
