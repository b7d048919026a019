/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  gemma2: {
    whole: { num_key_value_heads: 4, head_dim: 256 },
    part: {
      vocab_size: 256000,
      hidden_size: 2304,
      intermediate_size: 9216,
      num_hidden_layers: 26,
      num_attention_heads: 8,
      num_key_value_heads: 4,
      head_dim: 256,
      hidden_activation: 'gelu_pytorch_tanh',
      max_position_embeddings: 8192,
      tie_word_embeddings: true,
      sliding_window: 4096,
    },
  },
} satisfies Readonly<Record<string, ClassDefaults>>;
