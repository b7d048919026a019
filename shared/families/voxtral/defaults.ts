/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  voxtral_encoder: {
    part: {
      vocab_size: 51866,
      hidden_size: 1280,
      intermediate_size: 5120,
      num_hidden_layers: 32,
      num_attention_heads: 20,
      num_mel_bins: 128,
      max_source_positions: 1500,
    },
  },
} satisfies Readonly<Record<string, ClassDefaults>>;
