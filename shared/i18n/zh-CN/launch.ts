import type { launch as english } from '../en/launch';
import type { Matching } from '../matching';

export const launch = {
  what: { other: '这个文件夹按方案训练模型：{method}，{strategy}，{count} 张卡。' },
  batch: '每张卡一次取 {micro} 个样本，累积 {steps} 次做一步优化：所有卡合计每步 {total} 个样本。',
  syncEach: '各卡在每个微批次后同步梯度，因此保留的梯度不会超过方案所计。',
  syncLast: '各卡只在每步的最后一个微批次同步梯度，此前各自保留的梯度已计入方案。',
  peak: '方案预计最满的卡上分配器峰值为 {peak:bytes}，CUDA 上下文另算。',
  dataParallel:
    'DataParallel 把权重、梯度和优化器都放在第一张卡上，每一步再把模型复制到其他卡：第一张卡会先满，而且 DDP（--strategy ddp）更快。即使只有一台机器，PyTorch 也建议用 DDP。',
  startTitle: '启动',
  mark: '它运行 `{command}`，并用 {variable} 标记进程，这样 Headroom 能把本方案与它们实际占用的显存放在一起显示。',
  tryIt: '不带其他参数时，它用随机权重在内置样本上训练：足以看出能否运行、要多少显存。',
  forReal: '使用文件夹中的权重、自己的文本（.txt，或带 "text" 字段的 .jsonl）并保存结果：',
  receipt: '开头几步之后它会写一行以 “headroom: measured peak” 开头的日志：实测峰值与方案的峰值。',
  memorySnapshot:
    '`bash launch.sh --memory-snapshot snapshots` 会录制显存由谁占用，写出 snapshots/rankN-step3.pickle；某个 rank 失败时还会写 rankN-failure.pickle。`headroom snapshot snapshots/rank0-step3.pickle --plan headroom-plan.json` 把它与本方案对照。',
  logs: '每个 rank 写 logs/rankN.log，每次报告都有一行显存。失败的 rank 会在那里和终端上说明，torchrun 随后结束其他 rank。',
} as const satisfies Matching<typeof english>;
