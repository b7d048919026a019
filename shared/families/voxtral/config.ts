import { group, linear } from '../../model/nodes';
import { audioPart } from '../common/config/audioTower';
import { towerFields } from '../common/config/patchTower';
import { connectorPart, language, visionLanguageReader } from '../common/config/visionLanguage';
import { defaults } from './defaults';

/**
 * What Voxtral's language model takes where its part is silent, beyond llama's defaults.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/voxtral/configuration_voxtral.py
 */
const voxtralText = {
  vocab_size: 131_072,
  hidden_size: 3072,
  intermediate_size: 8192,
  num_hidden_layers: 30,
  num_key_value_heads: 8,
  max_position_embeddings: 131_072,
  head_dim: 128,
};

/** Voxtral: four frames of Whisper's encoder joined, then an MLP without bias. */
export const readVoxtral = visionLanguageReader({
  family: 'voxtral',
  textType: 'llama',
  textDefaults: voxtralText,
  tie: { by: 'never' },
  parts: (fields, { stack }) => {
    const own = towerFields(fields, 'audio_config', defaults.voxtral_encoder.part);
    const projector = group('multi_modal_projector', [
      linear('linear_1', own.size('intermediate_size'), stack.hiddenSize),
      linear('linear_2', stack.hiddenSize, stack.hiddenSize),
    ]);
    return [audioPart(own), language, connectorPart(projector)];
  },
});
