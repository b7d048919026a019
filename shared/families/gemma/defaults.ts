/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  gemma: {
    whole: { num_key_value_heads: 16, head_dim: 256 },
    part: {
      vocab_size: 256000,
      hidden_size: 3072,
      intermediate_size: 24576,
      num_hidden_layers: 28,
      num_attention_heads: 16,
      num_key_value_heads: 16,
      head_dim: 256,
      hidden_act: 'gelu_pytorch_tanh',
      max_position_embeddings: 8192,
      tie_word_embeddings: true,
    },
  },
} satisfies Readonly<Record<string, ClassDefaults>>;
