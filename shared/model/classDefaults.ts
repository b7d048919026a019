/**
 * What the config classes of transformers 5.17 take where a whole config is silent of a field that decides a shape, where that is
 * neither the field's usual meaning (as many key heads as heads, a head of hidden size over heads) nor a size that no model is read
 * without. A null in the file is no silence: it keeps the usual meaning.
 * https://github.com/huggingface/transformers/tree/v5.17.0/src/transformers/models (the configuration_*.py of each type)
 */
type Values = Readonly<Record<string, unknown>>;

const keyHeads = (count: number): Values => ({ num_key_value_heads: count });
const square = (image: number, patch: number): Values => ({ image_size: image, patch_size: patch });

/** By `model_type`. */
export const classDefaults: Readonly<Record<string, Values>> = {
  beit: square(224, 16),
  bitnet: keyHeads(5),
  blenderbot: { max_position_embeddings: 128 },
  'blenderbot-small': { max_position_embeddings: 512 },
  clip_vision_model: square(224, 32),
  cwm: keyHeads(8),
  deepseek_v2: { q_lora_rank: 1536 },
  deepseek_v3: { q_lora_rank: 1536 },
  deepseek_v32: { q_lora_rank: 1536 },
  deit: square(224, 16),
  dinov2: square(224, 14),
  dinov2_with_registers: square(224, 16),
  electra: { embedding_size: 128 },
  ernie4_5: { ...keyHeads(2), head_dim: 128 },
  ernie4_5_moe: keyHeads(4),
  falcon_h1: { ...keyHeads(8), mamba_d_ssm: 1024 },
  gemma: { ...keyHeads(16), head_dim: 256 },
  gemma2: { ...keyHeads(4), head_dim: 256 },
  gemma3_text: { ...keyHeads(4), head_dim: 256 },
  glm: { ...keyHeads(2), head_dim: 128 },
  glm4: { ...keyHeads(2), head_dim: 128 },
  glm4_moe: keyHeads(8),
  glm4_moe_lite: { q_lora_rank: 768 },
  glm4v_text: keyHeads(2),
  glm_moe_dsa: { q_lora_rank: 2048, index_n_heads: 32 },
  gpt_oss: { ...keyHeads(8), head_dim: 64 },
  granitemoehybrid: { num_local_experts: 8 },
  lfm2: keyHeads(8),
  llama4_text: keyHeads(8),
  mimo_v2_flash: { ...keyHeads(4), head_dim: 192, v_head_dim: 128, sliding_window: 128 },
  minicpm3: { q_lora_rank: 768 },
  minimax_m2: { ...keyHeads(8), head_dim: 128 },
  minimax_m3_vl_text: { ...keyHeads(4), head_dim: 128 },
  ministral3: keyHeads(8),
  mistral: keyHeads(8),
  mistral4: { q_lora_rank: 1024 },
  mixtral: keyHeads(8),
  mt5: { feed_forward_proj: 'gated-gelu' },
  nemotron_h: keyHeads(8),
  phimoe: keyHeads(8),
  qwen2_5_vl_text: keyHeads(8),
  qwen2_vl_text: keyHeads(8),
  qwen3: { head_dim: 128 },
  qwen3_5_moe_text: { ...keyHeads(2), head_dim: 256 },
  qwen3_5_text: { ...keyHeads(4), head_dim: 256 },
  qwen3_moe: keyHeads(4),
  qwen3_next: { ...keyHeads(2), head_dim: 256, num_experts: 512 },
  qwen3_vl_text: { head_dim: 128 },
  seed_oss: { ...keyHeads(8), head_dim: 128 },
  siglip_vision_model: square(224, 16),
  smollm3: keyHeads(4),
  solar_open: { ...keyHeads(8), head_dim: 128 },
  starcoder2: keyHeads(2),
  swin: { ...square(224, 4), depths: [2, 2, 6, 2], num_heads: [3, 6, 12, 24] },
  umt5: { feed_forward_proj: 'gated-gelu' },
  vaultgemma: { ...keyHeads(4), head_dim: 256 },
  vit: square(224, 16),
  youtu: { q_lora_rank: 1536 },
};
