/**
 * What the configuration classes of transformers 5.17 take where a config is silent of a field that decides a size.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models
 */
import type { ClassDefaults } from '../declaration';

export const defaults = {
  idefics3_vision: {
    part: {
      hidden_size: 1152,
      intermediate_size: 3072,
      num_hidden_layers: 12,
      num_attention_heads: 16,
      num_channels: 3,
      image_size: 224,
      patch_size: 32,
      hidden_act: 'gelu_pytorch_tanh',
    },
  },
  smolvlm_vision: {
    part: {
      hidden_size: 1152,
      intermediate_size: 3072,
      num_hidden_layers: 12,
      num_attention_heads: 16,
      num_channels: 3,
      image_size: 224,
      patch_size: 32,
      hidden_act: 'gelu_pytorch_tanh',
    },
  },
} satisfies Readonly<Record<string, ClassDefaults>>;
