import type { ConfigFields } from '../../../model/configFields';
import { whisperEncoder } from '../../whisper/config';
import type { Part } from './visionLanguage';

/** Whisper's encoder under `audio_tower`, as `own` describes it. */
export function audioPart(own: ConfigFields): Part {
  return { kind: 'built', ...whisperEncoder(own, 'audio_tower'), connector: null };
}
