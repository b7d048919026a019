/** Files and classes that say less than a size needs: they are refused, or counted with a warning, never filled up with a guess. */
import { describe, expect, test } from 'vitest';
import { architectureOf, reasonOf } from './fixtures';

describe('numbers without which a size is not known', () => {
  const small = { vocab_size: 100, hidden_size: 64, num_hidden_layers: 1, num_attention_heads: 4 };
  test.each([
    ['swin', { embed_dim: 32, depths: [2, 2], num_heads: [2] }, 'num_heads[1]'],
    ['vit', { ...small, intermediate_size: 128, image_size: null }, 'image_size'],
    [
      'bart',
      { ...small, d_model: 64, encoder_layers: 1, decoder_layers: 1, num_attention_heads: null },
      'num_attention_heads',
    ],
    ['lfm2', { ...small, num_key_value_heads: 2 }, 'intermediate_size'],
    [
      'nemotron-nas',
      {
        ...small,
        intermediate_size: 128,
        block_configs: [{ attention: { no_op: false }, ffn: { ffn_mult: 1 } }],
      },
      'block_configs[0].attention.n_heads_in_group',
    ],
  ])('%s without a number that its size hangs on', (type, config, field) => {
    expect(reasonOf({ ...config, model_type: type })).toBe(
      `The config has no "${field}", which is needed to know the size of the model.`,
    );
  });
});

describe('classes of which only the base model is known', () => {
  const wide = {
    vocab_size: 100,
    hidden_size: 64,
    num_hidden_layers: 1,
    num_attention_heads: 4,
    intermediate_size: 128,
  };
  const tower = { ...wide, image_size: 28, patch_size: 14 };
  test.each([
    [
      'whisper',
      'WhisperForSomethingElse',
      { ...wide, d_model: 64, num_mel_bins: 80, encoder_layers: 1, decoder_layers: 1 },
    ],
    ['git', 'GitForSequenceClassification', { ...wide, max_position_embeddings: 64, vision_config: tower }],
    [
      'chatglm',
      'ChatGLMForTokenClassification',
      { ...wide, num_layers: 1, padded_vocab_size: 100, ffn_hidden_size: 128, kv_channels: 16 },
    ],
    [
      'llava',
      'LlavaForSequenceClassification',
      {
        text_config: { ...wide, model_type: 'llama' },
        vision_config: { ...tower, model_type: 'clip_vision_model' },
      },
    ],
    ['phi3_v', 'Phi3VForTokenClassification', { ...wide, num_key_value_heads: 4 }],
    [
      'llama4',
      'Llama4ForSequenceClassification',
      {
        text_config: { ...wide, num_key_value_heads: 4, num_local_experts: 2 },
        vision_config: { ...tower, hidden_size: 64 },
      },
    ],
    ['bert', 'BertForNextSentencePrediction', { ...wide, max_position_embeddings: 64, type_vocab_size: 2 }],
    ['llama', 'LlamaForMultipleChoice', wide],
  ])('%s says that it does not count what %s adds', (type, className, config) => {
    const { warnings } = architectureOf({ ...config, model_type: type, architectures: [className] });
    expect(warnings).toContainEqual({ key: 'model.unknownClass', values: { className } });
  });
});
