import type { memory as english } from '../en/memory';
import type { Matching } from '../matching';

/** 显存估算：拒绝的原因、所作的假设、需要留意之处。 */
export const memory = {
  countTooLarge: '{name} 不能超过 {most:n}，当前为 {value}。',
  badCount: '{name} 必须是不小于 1 的整数，当前为 {value}。',
  badShare: '{name} 必须是不小于 0 且小于 1 的数，当前为“{value}”。',
  badContext: '{name} 必须是不小于 0 的大小（MiB），当前为“{value}”。',
  badCardSize: '{name} 必须是显卡大小（MiB），可给一个，也可每张卡各给一个，其中“{value}”无效。',
  badValue: '{name}：“{value}”不在可用取值之内：{expected}。',
  unknownKey: '请求中没有“{key}”这个键。',
  unknownKeyNear: '请求中没有“{key}”这个键；是否想写“{near}”？',
  requestNotObject: '请求必须是 JSON 对象，包含“model”以及驼峰命名的各个参数。',
  unknownCard: '未知显卡“{name}”；采用 {nearest} 的数值，区间因此更宽。',
  badMicroBatch: '微批次大小必须是不小于 1 的整数，当前为 {value}。',
  badSequence: '序列长度必须是不小于 1 的整数，当前为 {value}。',
  tooManyTokens:
    '一个微批次有 {microBatch:n} 个样本、每个 {sequence:n} 个 token，超出可推演的范围：最多 {most:n} 个 token。',
  badAccumulation: '梯度累积步数必须是不小于 1 的整数，当前为 {value}。',
  badWorld: '显卡数量必须是不小于 1 的整数，当前为 {value}。',
  badRank: 'LoRA 的秩必须是不小于 1 的整数，当前为 {value}。',
  singleWorld: '策略“single”只用一张卡，但指定了 {world} 张。',
  cardsAndWorld: {
    other: '给出了 {cards} 个显存大小，却有 {count} 张卡；请只给一个，或每张卡各给一个。',
  },
  dropoutOfParameter:
    'peft 无法对 {parameter} 使用 dropout，因为它不是线性层：请将 LoRA dropout 设为 0，或指定其他目标层。',
  unknownTarget: '模型中没有名为“{target}”的线性层。可用的层有：{known}。',
  fewMicroBatches:
    'PyTorch 的 1F1B 调度要求每步的微批次数不少于阶段数（{world:n}），但只给了 {accumulation:n} 个：请用 --accumulation {world} 或更大的值，或改用 --schedule gpipe。',
  stagesOfOneStack: '{className} 有 {count:n} 组层；流水线阶段只能在同一组层之间切分。',
  stagesOfSharedLayers: '{className} 的各层共享权重，无法切分成阶段。',
  tooFewLayers: '{layers:n} 层的模型无法切分成 {world:n} 个阶段。',
  noTensorPlan: 'transformers 没有 {className} 的张量并行方案（`base_model_tp_plan`），或该方案尚未建模。',
  unevenHeads: '{size:n} 个注意力头无法平均分给 {world:n} 张卡。',
  unevenKeyValueHeads: '{size:n} 个键值头无法平均分给 {world:n} 张卡。',
  unevenWidth: 'MLP 的宽度 {size:n} 无法平均分给 {world:n} 张卡。',
  unevenVocabulary: '大小为 {size:n} 的词表无法平均分给 {world:n} 张卡。',
  qloraTensor: 'bitsandbytes 的 4 比特权重无法按张量并行切分；请用 --method lora。',
  loraTensor: 'peft 不支持给 {module} 的适配器做张量并行（其结果需要汇集）；请指定其他目标层。',
  noCheckpointing:
    'transformers 5 中的 {className} 不支持梯度检查点：`gradient_checkpointing_enable` 会报错。请不使用梯度检查点训练。',
  noAutocast:
    'transformers 5 中的 {className} 无法以 {precision} 运行：其掩码填充值超出 16 位浮点数的表示范围。请使用 fp32 或纯 bf16。',
  selectiveNotModelled: '“{family}”类模型尚不支持只重算注意力；请使用 --checkpointing full。',
  beyondAnyMachine: '这一步会同时占用 {bytes:bytes}，超出任何机器的显存：请减小微批次或序列长度。',
  offloadNeedsSharding:
    '策略“{strategy}”把所有内容都留在显卡上；--offload {offload} 需要 fsdp-full、fsdp-grad-op 或 zero 系列策略。',
  badOffload: '“{strategy}”可以卸载 {known}，不支持 {offload}。',
  sequenceBeyondPositions: '序列长度 {sequence:n} 超过了该模型支持的 {positions:n} 个位置。',
  fsdpPadding:
    'FSDP 按每个张量的第一维切分，而有些张量的行数不够分给 {world:n} 张卡：每张卡持有的权重中有 {share:percent} 是填充。卡少一些浪费更少。',
  understood: '{name} {value} 按 {own} 处理。',
  cardMemory: '{card} 的显存为 {bytes:bytes}，也可另行指定。',
  droppedTargets: '该模型没有名为 {targets} 的层，适配器只加在其余指定的层上。',
  bf16OnOldCard: '{card} 不原生支持 bf16，PyTorch 只能缓慢模拟或直接拒绝；其原生 16 位类型是 fp16。',
  flashOnOldCard: '{card} 不支持 flash attention，改用省显存的注意力算子。',
  flashInFp32: 'flash attention 只支持 16 位类型，fp32 下改用省显存的注意力算子。',
  assumeStack: '按 PyTorch 2.11 和 transformers 5.17 估算；其他版本保留和分配的张量会有差别。',
  assumeCard: '未指定显卡；工作区、算子和 CUDA 上下文按 {card} 计算。',
  assumeCardValues: '{card} 的算子和工作区依据其规格书推定，尚未在该卡上实测。',
  assumeContext: '{card} 上 CUDA 自身占用的显存未经实测，采用同代显卡的公开数值。',
  assumeRouting:
    '专家按分组矩阵乘法计算（transformers 5，权重堆叠存放）；每个专家分到多少 token 不影响显存。',
  assumeFsdpUnits: 'FSDP2 先包裹每个 Transformer 块，再包裹整个模型（fully_shard）。',
  assumeFsdpSyncEach: 'FSDP2 在每个微批次后规约梯度，每张卡只保留自己的梯度分片（--gradient-sync each）。',
  assumeFsdpSyncLast:
    'FSDP2 只在每步的最后一个微批次规约梯度（`set_requires_gradient_sync`），此前每张卡保留完整梯度（--gradient-sync last）。',
  assumeDdpSyncEach: 'DDP 在每个微批次后同步梯度（--gradient-sync each）。',
  assumeDdpSyncLast: 'DDP 只在每步的最后一个微批次同步梯度（此前使用 `no_sync`；--gradient-sync last）。',
  assumeDdpBuckets:
    '假定第一步在卡上执行完毕后才开始第二步；否则在第二步中 NCCL 仍占着旧的梯度桶，与新桶并存，会多占一份梯度的显存。',
  assumeOneMachine: '{world} 个进程都在同一台机器上，卸载的内容全部占用该机内存。',
  assumeDataParallel: '第一张卡汇集所有卡的损失并累加它们的梯度；每次前向都会重新复制模型。',
  assumeZero:
    'DeepSpeed 的权重和梯度为 16 位，并为优化器另存 fp32 副本；通信桶为 {elements:n} 个元素，与生成的配置一致。',
  assumeZeroUnits:
    '从第二步起，ZeRO-3 会提前聚合权重，同时最多聚合 {elements:n} 个元素，并保留在此距离内还会用到的权重。',
  assumeTensorPlan:
    '各层按 transformers 的 `tp_plan` 切分：投影按列和按行切分，归一化层和词嵌入保持完整，logits 在每张卡上汇集。',
  assumeTensorTied: '输出层与词嵌入共享权重，在每张卡上保持完整。',
  assumeStages:
    '各阶段的层数：{layers}。每个阶段有自己的进程（torch.distributed.pipelining），并为一步内的所有微批次保留接收缓冲区；最后一个阶段保留 logits 直到其反向传播结束。',
  assumeStagesTied: '输出层与词嵌入共享权重：第一个和最后一个阶段各有一份副本，其梯度会相加。',
  assumeInnerStages: '假定中间各阶段因第二个相邻阶段多占 {bytes:bytes}；实测只有两个阶段的流水线。',
  assumePlacement: '各卡上的层数：{layers}。一个进程让每个微批次依次经过所有卡并返回，然后才处理下一个。',
  assumeSegments: '与 checkpoint_sequential 相同，最后一段不做重算。',
  assumeQuantized: 'bitsandbytes 将除输出层以外的线性层存为 nf4；混合精度下其余部分为 fp32。',
  assumeEightBit:
    '与单独使用 bitsandbytes 时一样，嵌入层的动量也按 8 位保存。transformers 的 Trainer 会让它们保持 fp32：若全部在一张卡上，要多占 {bytes:bytes}。',
  assumePaged:
    '大权重的动量（各卡合计 {bytes:bytes}）放在统一内存（unified memory）中，这里计入主机内存：显存有空余时驱动把它们留在卡上（nvidia-smi 可能会显示），显存不足时移到主机内存。',
  assumeImages:
    '假定每个样本除文本外有一张图像，切分为 {patches:number} 个图块；代表图像的 token 计入序列长度。',
  assumePatches: '该配置适用于任意尺寸的图像；这里假定每张图像有 {patches:number} 个 patch。',
  assumeFrames: '该配置适用于任意长度的音频；这里假定卷积之后每段有 {frames:number} 帧。',
  assumeUntraced: '{className} 的训练步骤按其源代码推算，没有该模型的实测记录可供对照。',
  assumeNearestBlock: '{className}（{family}）的代码尚未建模；训练步骤按各层的形状，以最接近的已知结构推算。',
  assumePublished:
    '没有实测过这样的运行。区间取自 {sources:n} 个来源公开的 {figures:n} 个数据与此类估算的偏差，从低 {below:percent} 到高 {above:percent}，每个来源权重相同。',
  assumeTwoCards: '该策略只在两张 H200 上与实测对照过。',
  assumeDocuments: '没有实测数据覆盖该配置，数值依据相关库公开说明的行为推算，区间因此更宽。',
  largestAtStart:
    '最大微批次 {grown:n} 是在同一进程中从 1 开始逐步加大试出来的。训练若一开始就用它会显存不足，因为第一步会把优化器状态留在大块激活之间；直接开始训练时最大为 {atStart:n}。',
} as const satisfies Matching<typeof english>;
