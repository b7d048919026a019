import { expect, test } from 'vitest';
import { readConfig } from '../../../../shared/model/readModel';

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
