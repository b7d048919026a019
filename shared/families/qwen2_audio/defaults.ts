/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  qwen2_audio_encoder: {
    part: {
      num_mel_bins: 128,
      encoder_layers: 32,
      encoder_attention_heads: 20,
      encoder_ffn_dim: 5120,
      d_model: 1280,
      max_source_positions: 1500,
    },
  },
} satisfies Readonly<Record<string, ClassDefaults>>;
