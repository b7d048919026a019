import { expect, test } from 'vitest';
import { readConfig } from '../../../../shared/families/readModel';
import { reasonOf } from './fixtures';

const sizes = {
  hidden_size: 64,
  intermediate_size: 160,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  vocab_size: 100,
};

test.each([
  ['a weight', { model_type: 'mixtral', num_local_experts: 0 }, 'expectedWhole', null],
  ['a buffer', { model_type: 'llama', head_dim: 1 }, 'sizesDisagree', 'rotary_emb.inv_freq'],
  ['a buffer', { model_type: 'gpt_neox', rotary_pct: 0.01 }, 'sizesDisagree', 'rotary_emb.inv_freq'],
])('%s without elements is refused: %o', (_what, config, key, tensor) => {
  const reading = readConfig({ ...sizes, ...config });
  if (reading.kind !== 'refused') throw new Error('was read');
  expect(reading.reason.key).toBe(`model.${key}`);
  expect(reading.reason.values?.['tensor'] ?? null).toBe(tensor);
});

const llama = { ...sizes, model_type: 'llama' };

test.each([
  [
    { num_key_value_heads: 3 },
    'The sizes in the config do not fit together: 4 attention heads cannot share 3 key and value heads evenly.',
  ],
  [
    { num_key_value_heads: 8 },
    'The sizes in the config do not fit together: 4 attention heads cannot share 8 key and value heads evenly.',
  ],
  [
    { vocab_size: 1e9, hidden_size: 1e9 },
    'The config describes more parameters than can be counted exactly; no model has so many.',
  ],
  [
    { model_type: 'mistral', sliding_window: 8, layer_types: ['full_attention'] },
    'The list "layer_types" is too short: it has 1 of 2 layers.',
  ],
  [
    {
      model_type: 'gemma3',
      text_config: {
        ...sizes,
        model_type: 'gemma3_text',
        num_key_value_heads: 1,
        layer_types: ['full_attention'],
      },
    },
    'The list "text_config.layer_types" is too short: it has 1 of 2 layers.',
  ],
])('what cannot be built is refused: %j', (changes, reason) => {
  expect(reasonOf({ ...llama, ...changes })).toBe(reason);
});

test('a list may go on for layers that predict further tokens', () => {
  const longer = { model_type: 'qwen3', layer_types: Array<string>(5).fill('full_attention') };
  expect(readConfig({ ...llama, ...longer }).kind).toBe('model');
});
