import type { planChange as english } from '../en/planChange';
import type { Matching } from '../matching';

/** 对一个方案的单项改动，以操作的形式表述。 */
export const planChange = {
  fusedOptimizer: '使用融合版 AdamW：更新结果相同，不产生临时副本',
  attentionKernel: '用 PyTorch 的注意力核函数代替逐步实现',
  microBatch: '微批次降为 {micro:n}，梯度累积 {steps:n} 次',
  checkpointing: '启用梯度检查点，反向时重新计算激活值',
  noCheckpointing: '保留激活值，不再重新计算',
  gradientShards: '把梯度和优化器状态分片到各张卡',
  fullShards: '把权重、梯度和优化器状态分片到各张卡',
  precision: '权重、梯度和优化器状态都用 bf16',
  doubleQuantization: '对 4 比特权重的缩放系数再做一次量化',
  eightBitOptimizer: '优化器状态用 8 比特',
  sequence: '样本长度降为 {sequence:n} 个 token',
  offload: '把权重和优化器状态放到主机内存',
  lora: '改为训练适配器，不训练全部参数',
  qlora: '在 4 比特模型上训练适配器',
} as const satisfies Matching<typeof english>;
