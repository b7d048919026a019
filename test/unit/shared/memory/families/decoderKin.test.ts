/** Decoders near those that were measured: whose code plays them, and that it plays them in every way. */
import { describe, expect, it } from 'vitest';
import { H200 } from '../../../../../shared/gpu/models';
import type { TrainingSettings } from '../../../../../shared/memory/configuration';
import { forwardFor } from '../../../../../shared/memory/chooseForward';
import { simulate, summarise } from '../../../../../shared/memory/simulation';
import type { Architecture } from '../../../../../shared/model/architecture';
import { readModel } from '../../../../../shared/families/readModel';

const config = {
  hidden_size: 256,
  intermediate_size: 512,
  num_hidden_layers: 3,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  head_dim: 64,
  vocab_size: 1000,
  max_position_embeddings: 1024,
};

const experts = {
  moe_intermediate_size: 128,
  num_experts: 8,
  n_routed_experts: 8,
  moe_num_experts: 8,
  num_experts_per_tok: 2,
  moe_k: 2,
  moe_topk: 2,
  n_shared_experts: 1,
  num_shared_experts: 1,
  moe_num_shared_experts: 1,
  shared_intermediate_size: 128,
};

const latent = {
  kv_lora_rank: 64,
  q_lora_rank: 64,
  qk_rope_head_dim: 32,
  qk_nope_head_dim: 32,
  v_head_dim: 48,
};

function modelOf(type: string, fields: object): Architecture {
  const reading = readModel(JSON.stringify({ ...config, ...fields, model_type: type, architectures: [] }));
  if (reading.kind === 'refused') throw new Error(reading.reason.key);
  return reading.architecture;
}

const settings: TrainingSettings = {
  method: { kind: 'full' },
  precision: 'bf16',
  optimizer: 'adamw',
  microBatch: 4,
  sequence: 512,
  accumulation: 1,
  checkpointing: { kind: 'none' },
  attention: 'sdpa',
  clipGradients: false,
  gradientSync: null,
  reduceType: 'fp32',
  pixels: 'fp32',
};

function peakBytes(architecture: Architecture, changes: Partial<TrainingSettings> = {}): number {
  const { forward } = forwardFor(architecture);
  const simulation = simulate(architecture, forward, { ...settings, ...changes }, H200);
  const allocator = { expandableSegments: false, addressOrder: 'falling', limitBytes: null } as const;
  return summarise(simulation, allocator, 0)?.allocatedPeakBytes ?? Number.NaN;
}

const lora: TrainingSettings['method'] = {
  kind: 'lora',
  adapters: { rank: 8, alpha: 16, targets: 'all-linear', dropout: 0, adapterType: 'fp32' },
};

describe('a decoder of the kind', () => {
  it.each([
    ['dots1', experts],
    ['exaone_moe', experts],
    ['minimax_m2', experts],
    ['ernie4_5', {}],
    ['ernie4_5_moe', experts],
    ['hunyuan_v1_dense', {}],
    ['hunyuan_v1_moe', experts],
    ['solar_open', experts],
    ['flex_olmo', experts],
    ['granitemoeshared', experts],
    ['cohere2_moe', experts],
    ['glm4_moe_lite', { ...experts, ...latent }],
    ['mistral4', { ...experts, ...latent }],
    [
      'deepseek_v2',
      { ...experts, ...latent, topk_method: 'group_limited_greedy', n_group: 4, topk_group: 2 },
    ],
    ['deepseek_v3', { ...experts, ...latent, n_group: 2, topk_group: 1, rope_interleave: false }],
    ['youtu', latent],
    ['helium', {}],
    ['apertus', {}],
    ['olmo3', {}],
    ['seed_oss', {}],
    ['arcee', {}],
    ['gpt_oss', experts],
    ['phimoe', experts],
  ])('%s has code of its own', (type, fields) => {
    const architecture = modelOf(type, fields);
    expect(forwardFor(architecture).ownCode).toBe(true);
    const plain = peakBytes(architecture);
    const recomputed = peakBytes(architecture, { checkpointing: { kind: 'full' } });
    expect(plain).toBeGreaterThan(recomputed);
    const adapted = peakBytes(architecture, { method: lora, checkpointing: { kind: 'full' } });
    expect(adapted).toBeLessThan(plain);
    const eager = { attention: 'eager', checkpointing: { kind: 'selective' } } as const;
    expect(peakBytes(architecture, { ...eager, precision: 'amp-bf16' })).toBeGreaterThan(recomputed);
    expect(peakBytes(architecture, { precision: 'fp32', attention: 'eager' })).toBeGreaterThan(plain);
  });

  it.each([
    ['a type nobody knows', {}],
    ['one with experts', experts],
    [
      'one with sigmoid scores and groups',
      { ...experts, scoring_func: 'sigmoid', n_group: 4, topk_group: 2 },
    ],
  ])('%s is played as the nearest', (_name, fields) => {
    const architecture = modelOf('nobody_knows_this', fields);
    expect(architecture.warnings.map(({ key }) => key)).toContain('model.nearest');
    const plain = peakBytes(architecture);
    expect(plain).toBeGreaterThan(peakBytes(architecture, { checkpointing: { kind: 'full' } }));
    const adapted = peakBytes(architecture, { method: lora, checkpointing: { kind: 'full' } });
    expect(adapted).toBeLessThan(plain);
  });
});
