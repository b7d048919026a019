import { group, linear } from '../../model/nodes';
import { audioPart } from '../common/config/audioTower';
import { towerFields } from '../common/config/patchTower';
import { connectorPart, language, visionLanguageReader } from '../common/config/visionLanguage';
import { defaults } from './defaults';

/** Qwen2-Audio: one matrix after Whisper's encoder. */
export const readQwen2Audio = visionLanguageReader({
  family: 'qwen2_audio',
  textType: 'qwen2',
  tie: { by: 'never' },
  parts: (fields, { stack }) => {
    const own = towerFields(fields, 'audio_config', defaults.qwen2_audio_encoder.part);
    const projector = group('multi_modal_projector', [
      linear('linear', own.size('hidden_size'), stack.hiddenSize, true),
    ]);
    return [audioPart(own), connectorPart(projector), language];
  },
});
