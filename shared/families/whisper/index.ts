/** Whisper. */
import type { Family } from '../declaration';
import { readWhisper } from './config';
import { simulateWhisper } from './simulation';

export const family: Family = {
  name: 'whisper',
  modelTypes: {
    whisper: { kind: 'model', baseClass: 'WhisperModel', read: readWhisper },
  },
  simulation: {
    simulate: simulateWhisper,
    recorded: ['whisper'],
    supports: ({ head, stacks }) => head.kind === 'language-model' && stacks.length === 2,
  },
};
