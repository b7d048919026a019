/** Where peft puts adapters, against the trained parameters of real models with rank 16 on all linear layers. */
import { describe, expect, test } from 'vitest';
import {
  adapterElements,
  adapterPlans,
  missingTargets,
  targetNames,
} from '../../../../shared/memory/training/adapterPlan';
import type { Architecture } from '../../../../shared/model/architecture';
import { readModel } from '../../../../shared/families/readModel';

const common = { vocab_size: 1000, num_hidden_layers: 2, max_position_embeddings: 4096 };

const configs = {
  llama: {
    model_type: 'llama',
    hidden_size: 2048,
    intermediate_size: 5632,
    num_attention_heads: 32,
    num_key_value_heads: 4,
  },
  opt: {
    model_type: 'opt',
    hidden_size: 2048,
    ffn_dim: 8192,
    num_attention_heads: 32,
    word_embed_proj_dim: 2048,
  },
  qwen3_moe: {
    model_type: 'qwen3_moe',
    hidden_size: 2048,
    intermediate_size: 6144,
    num_attention_heads: 32,
    num_key_value_heads: 4,
    head_dim: 128,
    moe_intermediate_size: 768,
    num_experts_per_tok: 8,
    num_local_experts: 32,
    decoder_sparse_step: 1,
  },
  deepseek_v3: {
    model_type: 'deepseek_v3',
    hidden_size: 2048,
    intermediate_size: 8192,
    moe_intermediate_size: 1024,
    num_attention_heads: 16,
    num_key_value_heads: 16,
    n_shared_experts: 1,
    n_routed_experts: 16,
    kv_lora_rank: 512,
    q_lora_rank: 768,
    qk_rope_head_dim: 64,
    v_head_dim: 128,
    qk_nope_head_dim: 128,
    num_experts_per_tok: 4,
    first_k_dense_replace: 1,
  },
  glm4_moe: {
    model_type: 'glm4_moe',
    hidden_size: 2048,
    intermediate_size: 8192,
    moe_intermediate_size: 1024,
    num_attention_heads: 16,
    num_key_value_heads: 4,
    head_dim: 128,
    n_shared_experts: 1,
    n_routed_experts: 16,
    num_experts_per_tok: 4,
    first_k_dense_replace: 1,
  },
  gpt_oss: {
    model_type: 'gpt_oss',
    hidden_size: 1440,
    intermediate_size: 1440,
    num_attention_heads: 32,
    num_key_value_heads: 8,
    head_dim: 64,
    num_local_experts: 16,
    num_experts_per_tok: 4,
  },
} as const;

function architectureOf(name: keyof typeof configs): Architecture {
  const config = { ...common, ...configs[name], architectures: ['ForCausalLM'] };
  const reading = readModel(JSON.stringify(config));
  if (reading.kind === 'refused') throw new Error(reading.reason.key);
  return reading.architecture;
}

test.each([
  ['llama', 1_146_880],
  ['opt', 1_179_648],
  ['qwen3_moe', 10_847_232],
  // The dense layers' and shared experts' projections have names that mean stacked experts, so they get none.
  ['deepseek_v3', 3_492_096],
  ['glm4_moe', 3_342_592],
  // Not among the types whose names peft converts: attention alone.
  ['gpt_oss', 348_160],
] as const)('%s trains %i parameters', (name, trained) => {
  expect(adapterElements(adapterPlans(architectureOf(name), 16, 'all-linear'))).toBe(trained);
});

describe('targets', () => {
  test('are layers by their names or ends of their paths', () => {
    const plans = adapterPlans(architectureOf('llama'), 8, ['q_proj', 'mlp.up_proj']);
    expect(plans.map(({ modulePath }) => modulePath)).toEqual([
      'model.layers.0.self_attn.q_proj',
      'model.layers.0.mlp.up_proj',
      'model.layers.1.self_attn.q_proj',
      'model.layers.1.mlp.up_proj',
    ]);
    expect(plans[1]).toMatchObject({ down: [8, 2048], up: [5632, 8], parameter: null, experts: 1 });
  });

  test('of experts are their stacked parameters, the joined one with twice the rank', () => {
    const plans = adapterPlans(architectureOf('qwen3_moe'), 8, ['gate_proj', 'up_proj', 'down_proj', 'gate']);
    expect(plans.slice(0, 3)).toMatchObject([
      { parameter: 'gate_up_proj', experts: 32, down: [512, 2048], up: [1536, 512] },
      { parameter: 'down_proj', experts: 32, down: [256, 768], up: [2048, 256] },
      { parameter: 'weight', experts: 1, down: [8, 2048], up: [32, 8] },
    ]);
  });

  test('that no layer is called are found', () => {
    const llama = architectureOf('llama');
    expect(missingTargets(llama, ['q_proj', 'query', 'w1'])).toEqual(['query', 'w1']);
    expect(missingTargets(llama, 'all-linear')).toEqual([]);
    expect(missingTargets(architectureOf('qwen3_moe'), ['gate', 'up_proj'])).toEqual([]);
    expect(targetNames(llama)).toContain('down_proj');
  });
});
