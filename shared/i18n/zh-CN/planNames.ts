import type { planNames as english } from '../en/planNames';
import type { Matching } from '../matching';

/** 训练策略和方案中其他选项的名称。 */
export const planNames = {
  single: '单卡',
  dataParallel: 'DataParallel，单进程',
  ddp: 'DDP，完整副本',
  ddpBucketView: 'DDP，桶视图',
  fsdpFull: 'FSDP，完全分片',
  fsdpGradOp: 'FSDP，梯度和优化器状态分片',
  zero1: 'ZeRO-1，优化器状态分片',
  zero2: 'ZeRO-2，优化器状态和梯度分片',
  zero3: 'ZeRO-3，全部分片',
  tensor: '张量并行，每层切分到各卡',
  pipeline: '流水线并行，按层分段',

  shortSingle: '单卡',
  shortTensor: '张量并行',
  shortPipeline: '流水线并行',

  full: '全参数微调',
  lora: 'LoRA',
  qlora: 'QLoRA',

  fp32: 'fp32',
  ampBfloat16: '混合精度 bf16',
  ampFloat16: '混合精度 fp16',
  bfloat16: 'bf16',

  adamw: 'AdamW（foreach）',
  adamwFused: 'AdamW（融合）',
  adamwLoop: 'AdamW（逐参数）',
  sgd: 'SGD',
  sgdMomentum: '带动量的 SGD',
  adafactor: 'Adafactor',
  adamw8bit: '8 比特 AdamW',
  pagedAdamw8bit: '8 比特分页 AdamW',
  lion: 'Lion',
  muon: 'Muon',

  keepsActivations: '保留激活值',
  checkpointing: '梯度检查点',
  selective: '仅注意力用检查点',
  segments: '分段检查点',

  sdpa: '由 PyTorch 选择（SDPA）',
  cudnn: 'cuDNN',
  flash: 'Flash',
  efficient: 'Memory-efficient',
  math: 'Math',
  eager: 'Eager 逐步实现',

  noOffload: '不卸载',
  offloadOptimizer: '优化器状态放主机内存',
  offloadAll: '权重和优化器状态放主机内存',
  offloadNvme: '权重和优化器状态放 NVMe',

  longestSequence: '最长序列',
  largestBatch: '最大批次',
  smallestCard: '最小显存',
  cheapestChange: '代价最小的可行改动',
} as const satisfies Matching<typeof english>;
