import type { strategy as english } from '../en/strategy';
import type { Matching } from '../matching';

/** 方案规划：方案为何可行、策略为何不可行、作了哪些假设。 */
export const strategy = {
  singleStates:
    '一张卡要放下全部内容：{parameters:short}个参数的权重占 {weights:bytes}，梯度占 {gradients:bytes}，优化器占 {optimizer:bytes}，不算激活值已有 {total:bytes}；该卡只有 {card:bytes}，其中 CUDA 占用 {context:bytes}。',
  dataParallelStates:
    'DataParallel 把权重、梯度和优化器都放在第一张卡上：{parameters:short}个参数需要 {weights:bytes} + {gradients:bytes} + {optimizer:bytes} = {total:bytes}，还不算激活值；每张卡只有 {card:bytes}。',
  copyStates:
    'DDP 在每张卡上都保存完整副本：{parameters:short}个参数的权重占 {weights:bytes}，梯度占 {gradients:bytes}，优化器占 {optimizer:bytes}，不算激活值已有 {total:bytes}；最小的卡只有 {card:bytes}，其中 CUDA 和 NCCL 占用 {context:bytes}。增加显卡也无济于事。',
  zeroStates:
    '{strategy} 在每张卡上保存完整权重：{world:n} 张卡各有权重 {weights:bytes}、梯度 {gradients:bytes}、优化器状态 {optimizer:bytes}，不算激活值共 {total:bytes}；最小的卡只有 {card:bytes}。',
  shardStates:
    '{strategy} 把全部内容分成 {world:n} 份，每张卡仍有权重 {weights:bytes}、梯度 {gradients:bytes}、优化器状态 {optimizer:bytes}，不算激活值共 {total:bytes}；最小的卡只有 {card:bytes}，其中 CUDA 和 NCCL 占用 {context:bytes}。',
  stageStates:
    '第 {stage:n} 个阶段（共 {world:n} 个）有 {layers:n} 层、{parameters:short}个参数：权重 {weights:bytes}，梯度 {gradients:bytes}，优化器 {optimizer:bytes}，在任何激活值之前就已占 {total:bytes}；它的卡只有 {card:bytes}。',
  logits:
    '{tokens:n} 个 token 对 {vocabulary:n} 个词的 logits 同时至少占用 {bytes:bytes}，别处再省也无济于事；最大的卡只有 {card:bytes}。请缩短训练序列。',
  peak: '每次只算一个样本也需要 {need:bytes}：权重、梯度和优化器 {states:bytes}，激活值、logits 和缓冲区 {rest:bytes}，CUDA {context:bytes}；{index} 号卡只有 {card:bytes}。',
  peakCheckpointed:
    '即使开启梯度检查点、每次只算一个样本，也需要 {need:bytes}：权重、梯度和优化器 {states:bytes}，激活值、logits 和缓冲区 {rest:bytes}，CUDA {context:bytes}；{index} 号卡只有 {card:bytes}。',
  fitsEmptyCard:
    '需要 {need:bytes}，而 {index} 号卡只剩 {card:bytes} 空闲：其他程序占用了 {used:bytes}。若该卡空闲则放得下。',
  hostTooSmall: '各卡进程的卸载内容共需要 {need:bytes} 内存，现有 {have:bytes}。',
  batchUneven: '每步 {batch:n} 个样本，按所要求的微批次大小和梯度累积步数无法平均分给 {world:n} 张卡。',
  batchBelowStages: '每步 {batch:n} 个样本得到的微批次少于 1F1B 调度需要填满的 {world:n} 个阶段。',
  worldBeyondCards: '要求使用 {world:n} 张卡，但只有 {cards:n} 张。',
  noCards: '没有可供规划的显卡。',
  needsSeveralCards: '{strategy} 需要把训练分到多张卡上，而可用的卡只有一张。',
  qloraSharded:
    'FSDP2 只能切分浮点类型的张量；bitsandbytes 的 4 比特权重需以浮点类型存放，目前尚未建模，启动文件也不支持。',
  eightBitSharded: 'bitsandbytes 的 8 比特优化器不支持 FSDP2 的分片张量。',
  eightBitTensor: 'bitsandbytes 的 8 位优化器不认识张量并行切分后的张量。',
  adafactorDivided: 'transformers 的 Adafactor 遇到 FSDP2 或张量并行切分后的张量会报错。',
  dataParallelRecomputes:
    '在 DataParallel 下，其他卡在重计算注意力时会换用与 cuDNN 不同的内核，PyTorch 2.11 会因此报错。',
  shardedTypes:
    'FSDP2 一起切分的参数必须类型相同，因此 bf16 模型上的适配器不能保持 fp32：请使用 --adapter-dtype model。',
  whySingle: { other: '全部内容放得进一张卡（{peak:bytes} / {card:bytes}），无需通信，也无需重算。' },
  whySingleCheckpointed: {
    other:
      '全部内容放得进一张卡（{peak:bytes} / {card:bytes}）；激活值在反向传播时重算，计算量增加约四分之一到三分之一。',
  },
  whyDataParallel: {
    other: 'DataParallel 在 {count} 张卡上放得下（{peak:bytes} / {card:bytes}），但 DDP 做同样的事更快。',
  },
  whyCopy: {
    other:
      '{count} 张卡各放得下一份完整副本（{peak:bytes} / {card:bytes}），每步只需同步一次梯度，并与最后一次反向传播重叠。',
  },
  whyCopyCheckpointed: {
    other:
      '开启梯度检查点后，{count} 张卡各放得下一份完整副本（{peak:bytes} / {card:bytes}）；每步只需同步一次梯度。',
  },
  whyGradOp: {
    other: '梯度和优化器分到 {count} 张卡上，每个微批次收集一次权重（{peak:bytes} / {card:bytes}）。',
  },
  whyGradOpCheckpointed: {
    other:
      '梯度和优化器分到 {count} 张卡上，每个微批次收集一次权重，激活值在反向传播时重算（{peak:bytes} / {card:bytes}）。',
  },
  whyShard: {
    other:
      '权重、梯度和优化器都分到 {count} 张卡上（{peak:bytes} / {card:bytes}）；每个微批次逐层收集两次权重。',
  },
  whyShardCheckpointed: {
    other:
      '权重、梯度和优化器都分到 {count} 张卡上，并开启梯度检查点（{peak:bytes} / {card:bytes}）；每个微批次逐层收集两次权重。',
  },
  whyTensor: {
    one: '每一层都被切分（{card:bytes} 中用 {peak:bytes}）。',
    other:
      '每一层都切分到 {count} 张卡上（{card:bytes} 中用 {peak:bytes}），每层要交换多次激活值：有 NVLink 时很合适，走 PCI Express 则很慢。',
  },
  whyPipeline: {
    one: '整个模型就是一个阶段（{card:bytes} 中用 {peak:bytes}）。',
    other:
      '{count} 张卡各放一段连续的层（{card:bytes} 中用 {peak:bytes}），卡间传输很少；每步 {steps:n} 个微批次时，流水线填充和排空让每张卡有 {waiting:percent} 的时间在等待。',
  },
  whyPlacement: {
    one: '所有层都在一张卡上（{card:bytes} 中用 {peak:bytes}）。',
    other:
      '一个进程把各层放在 {count} 张卡上（{card:bytes} 中用 {peak:bytes}），各卡依次工作：放得下，但同一时刻只有一张卡在忙。',
  },
  whyOffload: {
    other:
      '权重、梯度和优化器放在内存中（{host:bytes}），逐层送到 {count} 张卡上（{peak:bytes} / {card:bytes}）；优化器在 CPU 上更新，会拖慢训练。',
  },
  whyOffloadOptimizer: {
    other:
      '优化器状态放在内存中（{host:bytes}），权重留在 {count} 张卡上（{peak:bytes} / {card:bytes}）；优化器在 CPU 上更新，会拖慢训练。',
  },
  whyOffloadNvme: {
    other:
      '权重和优化器状态放在 NVMe 盘上，逐层送到 {count} 张卡上（{peak:bytes} / {card:bytes}）；大部分时间花在读写上。',
  },
  whyOffloadedLora: {
    other:
      '训练 {trainable:short}个适配器参数；冻结的 {frozen:short}个参数放在内存中（{host:bytes}），逐层送到 {count} 张卡上（{peak:bytes} / {card:bytes}）。',
  },
  whyOffloadedLoraInstead: {
    other:
      '不训练全部参数，只训练 {trainable:short}个适配器参数；冻结的 {frozen:short}个参数放在内存中（{host:bytes}），逐层送到 {count} 张卡上（{peak:bytes} / {card:bytes}）。',
  },
  whyEightBit: {
    other:
      '优化器状态用 8 比特保存后，{count} 张卡放得下（{peak:bytes} / {card:bytes}）；训练的参数不变，更新精度更粗。',
  },
  whyBfloat16: {
    other:
      '权重、梯度和优化器都用 bf16 后，{count} 张卡放得下（{peak:bytes} / {card:bytes}）；微小的更新可能被舍入掉。',
  },
  whyLora: {
    other:
      '只有 {trainable:short}个适配器参数需要梯度和优化器状态；每张卡（共 {count} 张）都存有冻结的 {frozen:short}个参数的权重（{peak:bytes} / {card:bytes}）。',
  },
  whyLoraInstead: {
    other:
      '不训练全部参数，只训练 {trainable:short}个适配器参数；每张卡（共 {count} 张）都存有冻结的 {frozen:short}个参数的权重（{peak:bytes} / {card:bytes}）。',
  },
  whyShardedLora: {
    other:
      '训练 {trainable:short}个适配器参数，冻结的 {frozen:short}个参数分到 {count} 张卡上（{peak:bytes} / {card:bytes}）。',
  },
  whyShardedLoraInstead: {
    other:
      '不训练全部参数，只训练 {trainable:short}个适配器参数；冻结的 {frozen:short}个参数分到 {count} 张卡上（{peak:bytes} / {card:bytes}）。',
  },
  whyQlora: {
    other:
      '每张卡（共 {count} 张）上以 4 比特保存冻结的 {frozen:short}个参数，训练 {trainable:short}个适配器参数（{peak:bytes} / {card:bytes}）；反量化使每步用时增加约一半。',
  },
  whyQloraInstead: {
    other:
      '不按原要求训练，而是在每张卡（共 {count} 张）上以 4 比特保存冻结的 {frozen:short}个参数，只训练 {trainable:short}个适配器参数（{peak:bytes} / {card:bytes}）；反量化使每步用时增加约一半。',
  },
  assumeNvlink: '按该型号的常见配置，假定所有显卡之间有 NVLink：每秒 {speed:bytes}。',
  assumePcie: '假定显卡之间通过 PCI Express 通信：每秒 {speed:bytes}。',
  assumeHost: '不知道机器有多少内存，因此没有检查卸载是否放得下。',
  assumeCard: '未指定显卡型号；时间和算子按 H200 计算，互连按工作站计算。',
  assumeBatch: '未指定批次大小；按每步 {batch:n} 个样本规划。',
  longestSequence: {
    other:
      '{count} 张卡上每个样本最长可用 {sequence:n} 个 token：每卡一次一个样本时占 {peak:bytes} / {card:bytes}。',
  },
  longestByModel: '该模型最多支持 {sequence:n} 个位置，这个长度放得下。',
  sequenceOfImages: '该模型的序列长度由图像决定，无从选择。',
  largestBatch: {
    other: '{count} 张卡上每卡一次最多可算 {micro:n} 个样本，合计 {total:n} 个。',
  },
  onlyTight: '最小的设置也不能确定放得下：卡 {index} 上预计占用 {peak:bytes}，而它只有 {card:bytes}。',
  smallestCard: { other: '{count} 张 {card:bytes} 的卡就够了。' },
  changesTogether: '只改一处还不够。同时改动以下几处即可放下，改动最少：{flags}',
  severalChanges: '只改一处还不够。下面的方案放得下，它同时改动了几处。',
  nothingToChange: '按原要求就放得下，无需改动。',
  changeCheckpointing: '开启梯度检查点（--checkpointing full）：慢约四分之一到三分之一。',
  changeMicroBatch: '每次一个样本并累积梯度（--micro-batch 1）：每步效果相同，略慢。',
  changeExpandable: '使用可扩展显存段（--expandable-segments）：没有代价。',
  changeStrategy: '把训练状态分到各卡上（--strategy {strategy}）：训练不变，通信更多。',
  changeOffload: '把权重、梯度和优化器移到内存（--strategy fsdp-full --offload all）：慢数倍。',
  changePrecision: '权重、梯度和优化器都用 bf16（--precision bf16）：微小的更新可能被舍入掉。',
  changeOptimizer: '优化器状态用 8 比特保存（--optimizer adamw-8bit）：更新更粗。',
  changeSequence: '把样本缩短到 {sequence:n} 个 token（--seq {sequence:n}）。',
  changeLora: '不训练全部参数，只训练适配器（--method lora）。',
  changeQlora: '在 4 比特模型上训练适配器（--method qlora）。',
  launchOptimizer: '暂时不能为优化器“{optimizer}”生成文件。',
  launchCheckpointing: '暂时不能为这种梯度检查点生成文件；请选择 none 或 full。',
  launchTogether: '暂时不能为策略“{strategy}”与 {setting} 的组合生成文件。',
  launchPipelineModel:
    '流水线脚本还不能把“{className}”类模型切成多个阶段；可以改用单进程的逐层放置（schedule 为 sequential）。',
  launchModel: '暂时不能为“{className}”类模型生成文件。',
} as const satisfies Matching<typeof english>;
