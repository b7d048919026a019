/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  cohere2: {
    part: {
      vocab_size: 256000,
      hidden_size: 8192,
      intermediate_size: 22528,
      num_hidden_layers: 40,
      num_attention_heads: 64,
      hidden_act: 'silu',
      max_position_embeddings: 8192,
      tie_word_embeddings: true,
      sliding_window: 4096,
    },
  },
} satisfies Readonly<Record<string, ClassDefaults>>;
