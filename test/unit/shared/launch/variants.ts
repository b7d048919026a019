import type { LaunchPlan } from '../../../../shared/launch/plan';

const config = {
  architectures: ['LlamaForCausalLM'],
  model_type: 'llama',
  hidden_size: 256,
  intermediate_size: 688,
  num_hidden_layers: 4,
  num_attention_heads: 4,
  num_key_value_heads: 2,
  vocab_size: 512,
  max_position_embeddings: 512,
  tie_word_embeddings: false,
};

export const basePlan: LaunchPlan = {
  name: 'tiny-llama',
  task: 'causal',
  configJson: JSON.stringify(config, null, 2),
  method: 'full',
  lora: null,
  doubleQuant: false,
  precision: 'amp-bf16',
  optimizer: 'adamw-fused',
  strategy: 'single',
  world: 1,
  nodes: 1,
  offload: 'none',
  checkpointing: 'none',
  attention: 'sdpa',
  microBatch: 2,
  accumulationSteps: 1,
  sequence: 128,
  gradientClip: false,
  expandableSegments: false,
  planned: [
    {
      allocatedPeakBytes: 100_000_000,
      reservedPeakBytes: 120_000_000,
      contextBytes: 400_000_000,
      processBytes: 520_000_000,
    },
  ],
};

const lora: LaunchPlan['lora'] = { rank: 8, dropout: 0, targets: 'all-linear', dtype: 'fp32' };
const image = {
  model_type: 'vit',
  hidden_size: 192,
  num_hidden_layers: 3,
  num_attention_heads: 3,
  intermediate_size: 768,
  image_size: 224,
  num_labels: 10,
};
const masked = {
  model_type: 'bert',
  hidden_size: 192,
  num_hidden_layers: 3,
  num_attention_heads: 3,
  intermediate_size: 768,
  vocab_size: 512,
};
const translation = {
  model_type: 't5',
  d_model: 192,
  d_kv: 64,
  d_ff: 384,
  num_layers: 2,
  num_heads: 3,
  vocab_size: 512,
  decoder_start_token_id: 0,
};

/** Every kind of train.py that a plan can become. */
export const variants: Readonly<Record<string, LaunchPlan>> = {
  single: basePlan,
  'single-fp32': { ...basePlan, precision: 'fp32', optimizer: 'sgd', gradientClip: true },
  'single-fp16': { ...basePlan, precision: 'amp-fp16', gradientClip: true, accumulationSteps: 2 },
  'single-bf16-checkpointed': {
    ...basePlan,
    precision: 'bf16',
    checkpointing: 'full',
    optimizer: 'adamw',
    expandableSegments: true,
  },
  'single-loop-flash': { ...basePlan, optimizer: 'adamw-loop', attention: 'flash' },
  'single-eager': { ...basePlan, optimizer: 'sgd-momentum', attention: 'eager' },
  'single-adafactor': { ...basePlan, optimizer: 'adafactor', precision: 'bf16' },
  'lora-bf16': { ...basePlan, method: 'lora', lora, precision: 'bf16', checkpointing: 'full' },
  'lora-targets': {
    ...basePlan,
    method: 'lora',
    lora: { ...lora, targets: ['q_proj', 'v_proj'], dropout: 0.05 },
  },
  qlora: {
    ...basePlan,
    method: 'qlora',
    lora,
    precision: 'bf16',
    doubleQuant: true,
    optimizer: 'paged-adamw-8bit',
  },
  ddp: { ...basePlan, strategy: 'ddp', world: 2, accumulationSteps: 2 },
  'ddp-fp16': {
    ...basePlan,
    strategy: 'ddp-bucket-view',
    world: 2,
    precision: 'amp-fp16',
    gradientClip: true,
  },
  'ddp-lora': { ...basePlan, strategy: 'ddp', world: 2, method: 'lora', lora, precision: 'bf16' },
  fsdp: { ...basePlan, strategy: 'fsdp-full', world: 2, checkpointing: 'full' },
  'fsdp-grad-op-bf16': {
    ...basePlan,
    strategy: 'fsdp-grad-op',
    world: 2,
    precision: 'bf16',
    accumulationSteps: 2,
    gradientClip: true,
  },
  'fsdp-offload': { ...basePlan, strategy: 'fsdp-full', world: 2, offload: 'all' },
  'fsdp-lora': { ...basePlan, strategy: 'fsdp-full', world: 2, method: 'lora', lora, precision: 'bf16' },
  zero2: { ...basePlan, strategy: 'zero2', world: 2, precision: 'bf16', offload: 'optimizer' },
  'zero3-nvme': {
    ...basePlan,
    strategy: 'zero3',
    world: 2,
    precision: 'bf16',
    offload: 'nvme',
    gradientClip: true,
  },
  'image-bf16': {
    ...basePlan,
    name: 'tiny-vit',
    task: 'image',
    precision: 'bf16',
    configJson: JSON.stringify(image),
  },
  'masked-ddp': {
    ...basePlan,
    name: 'tiny-bert',
    task: 'masked',
    strategy: 'ddp',
    world: 2,
    configJson: JSON.stringify(masked),
  },
  'sequence-to-sequence': {
    ...basePlan,
    name: 'tiny-t5',
    task: 'sequence-to-sequence',
    configJson: JSON.stringify(translation),
  },
};
