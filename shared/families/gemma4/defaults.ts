/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  gemma4_text: {
    part: {
      vocab_size: 262144,
      hidden_size: 2304,
      intermediate_size: 9216,
      num_hidden_layers: 30,
      num_attention_heads: 8,
      num_key_value_heads: 4,
      head_dim: 256,
      hidden_activation: 'gelu_pytorch_tanh',
      max_position_embeddings: 131072,
      tie_word_embeddings: true,
      sliding_window: 512,
      vocab_size_per_layer_input: 262144,
      hidden_size_per_layer_input: 256,
    },
  },
  gemma4_vision: {
    part: {
      hidden_size: 768,
      intermediate_size: 3072,
      num_hidden_layers: 16,
      num_attention_heads: 12,
      num_key_value_heads: 12,
      head_dim: 64,
      hidden_activation: 'gelu_pytorch_tanh',
      max_position_embeddings: 131072,
      pooling_kernel_size: 3,
      patch_size: 16,
      position_embedding_size: 10240,
    },
  },
} satisfies Readonly<Record<string, ClassDefaults>>;
