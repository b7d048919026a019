/** Voxtral and Qwen2-Audio: Whisper's encoder before a language model. */
import type { Fields } from '../fields';
import { group, linear } from '../nodes';
import { towerFields } from './tower';
import { connectorPart, language, visionLanguageReader, type Part } from './visionLanguage';
import { whisperEncoder } from './whisper';

/** Whisper's encoder under `audio_tower`, as `own` describes it. */
function audioPart(own: Fields): Part {
  return { kind: 'built', ...whisperEncoder(own, 'audio_tower'), connector: null };
}

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
export const voxtral = visionLanguageReader({
  family: 'voxtral',
  textType: 'llama',
  textDefaults: voxtralText,
  tie: { by: 'never' },
  parts: (fields, { stack }) => {
    const own = towerFields(fields, 'audio_config', 'voxtral_encoder');
    const projector = group('multi_modal_projector', [
      linear('linear_1', own.size('intermediate_size'), stack.hiddenSize),
      linear('linear_2', stack.hiddenSize, stack.hiddenSize),
    ]);
    return [audioPart(own), language, connectorPart(projector)];
  },
});

/** Qwen2-Audio: one matrix after Whisper's encoder. */
export const qwen2Audio = visionLanguageReader({
  family: 'qwen2_audio',
  textType: 'qwen2',
  tie: { by: 'never' },
  parts: (fields, { stack }) => {
    const own = towerFields(fields, 'audio_config', 'qwen2_audio_encoder');
    const projector = group('multi_modal_projector', [
      linear('linear', own.size('hidden_size'), stack.hiddenSize, true),
    ]);
    return [audioPart(own), connectorPart(projector), language];
  },
});
