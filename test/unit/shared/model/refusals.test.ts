/** Configs of models that a block of attention and MLP cannot stand for, and classes that take only a part of a model. */
import { describe, expect, test } from 'vitest';
import { parameterCount } from '../../../../shared/model/inventory';
import { readModel } from '../../../../shared/families/readModel';
import { architectureOf, reasonOf, warningsOf } from './fixtures';

const llama = {
  model_type: 'llama',
  hidden_size: 64,
  intermediate_size: 160,
  num_hidden_layers: 2,
  num_attention_heads: 4,
  vocab_size: 100,
};

describe('what no plain encoder or decoder has is not read as one', () => {
  const unknown = { ...llama, model_type: 'newlm', architectures: undefined };

  test.each([
    ['is_encoder_decoder', true],
    ['decoder_layers', 2],
    ['entity_vocab_size', 1000],
    ['attention_window', [512, 512]],
    ['zero_expert_num', 128],
  ])('%s: %j', (field, value) => {
    expect(reasonOf({ ...unknown, [field]: value })).toBe(
      `Models of type "newlm" cannot be read yet: "${field}" tells of parts that no plain encoder or decoder has.`,
    );
  });

  test.each([
    ['is_encoder_decoder', false],
    ['zero_expert_num', 0],
  ])('%s: %j says that there is none', (field, value) => {
    expect(parameterCount(architectureOf({ ...unknown, [field]: value }))).toBe(
      parameterCount(architectureOf(unknown)),
    );
  });

  test('a decoder that attends to a model of which the file says nothing', () => {
    expect(reasonOf({ ...llama, model_type: 'gpt2', add_cross_attention: true })).toBe(
      'This decoder attends to the output of another model ("add_cross_attention"), which the config does not describe. It cannot be read alone.',
    );
  });

  test('without a type the sentence names none', () => {
    expect(reasonOf({ ...unknown, model_type: undefined, mamba_d_state: 16 })).toBe(
      'The config names no model type, and "mamba_d_state" tells of layers that are no ordinary attention. It cannot be read yet.',
    );
  });
});

test("a vision-language model's class for causal language models is its language model alone", () => {
  const text = { ...llama, model_type: 'qwen3_vl_text', num_key_value_heads: 2, head_dim: 16 };
  const config = { model_type: 'qwen3_vl', text_config: text, vision_config: { depth: 1 } };
  const alone = architectureOf({ ...config, architectures: ['Qwen3VLForCausalLM'] });
  expect(alone.stacks.map(({ path: at }) => at)).toEqual(['model']);
  expect(parameterCount(alone)).toBe(
    parameterCount(architectureOf({ ...text, architectures: ['Qwen3VLTextForCausalLM'] })),
  );
});

test("MiniMax M3's language model alone, under the type that its own file has", () => {
  const sizes = {
    hidden_size: 64,
    intermediate_size: 32,
    dense_intermediate_size: 96,
    shared_intermediate_size: 32,
    num_hidden_layers: 2,
    num_attention_heads: 4,
    num_key_value_heads: 2,
    head_dim: 16,
    vocab_size: 100,
    num_local_experts: 4,
    num_experts_per_tok: 2,
    moe_layer_freq: [0, 1],
    sparse_attention_config: {
      sparse_attention_freq: [0, 1],
      sparse_num_index_heads: 2,
      sparse_index_dim: 16,
    },
  };
  const count = (model_type: string, className: string): number =>
    parameterCount(architectureOf({ ...sizes, model_type, architectures: [className] }));
  expect(count('minimax_m3', 'MiniMaxM3ForCausalLM')).toBe(90_272);
  expect(count('minimax_m3_vl_text', 'MiniMaxM3VLForCausalLM')).toBe(90_272);
});

test('fields of towers beside a language model of unknown type: the language model alone, and said', () => {
  const reading = readModel(
    JSON.stringify({ ...llama, model_type: 'newmm', vision_lora: { r: 8 }, audio_processor: {} }),
  );
  expect(warningsOf(reading)).toContain(
    'Only the language model was read; the other parts of "newmm" are not known.',
  );
});
