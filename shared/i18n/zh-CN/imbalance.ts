import type { imbalance as english } from '../en/imbalance';
import type { Matching } from '../matching';

export const imbalance = {
  oneCardWhat: { other: '全部压在 {card} 号卡上：{job} 占用 {used:bytes}，另有 {count} 张卡空闲。' },
  oneProcessWhy: '{job} 是没有 rank 的单进程，只用 {card} 号卡。',
  oneProcessRemedy:
    '用 torchrun 每张卡启动一个 rank（DDP 或 FSDP），或在“方案”里看 {count} 张卡上能放下什么。',
  ranksOnOneCardWhy:
    '{count} 个 rank 都选了 {card} 号卡：没有一个 rank 用 LOCAL_RANK 调用 torch.cuda.set_device。',
  ranksOnOneCardRemedy: '在碰任何一张卡之前调用 torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))。',
  dataParallelWhat: '{job} 在 {card} 号卡上占 {used:bytes}，其余每张卡 {others:bytes}。',
  dataParallelWhy:
    '一个进程带 {count} 张卡，正是 nn.DataParallel 的做法：{card} 号卡还要放梯度、优化器状态和汇总的输出。',
  dataParallelRemedy: '改用 DistributedDataParallel，{count} 张卡各一个 rank，显存均匀，速度也更快。',
  strayWhat: { other: '{job} 有 {count} 个 rank 在 {card} 号卡上留着空的上下文：共 {used:bytes}。' },
  strayWhy: '它们在自己的卡上干活，却先碰了 {card} 号卡：在 set_device 之前调用了 .cuda() 或 torch.load。',
  strayRemedy: '最先用 LOCAL_RANK 调用 torch.cuda.set_device，torch.load 加上 map_location="cpu"。',
  rankWhat: '{job} 的 rank {rank} 占 {used:bytes}，其余 rank 各占 {others:bytes}。',
  rankMoreWhy:
    '同一任务的各个 rank 应当一样。只有这个 rank 做的事多占了显存：评估、保存、加载检查点、更长的样本。',
  rankMoreRemedy: '用 map_location="cpu" 加载检查点，把评估分到所有 rank，并按长度把样本均分到各 rank。',
  rankLessWhy: '同一任务的各个 rank 应当一样。这个 rank 还没跑到那一步，或者已经丢了进度。',
  rankLessRemedy: '先看它的日志：其他 rank 可能正在等它。',
  sharedWhat: { other: '{count} 个任务挤在 {card} 号卡上。' },
  sharedWhy: '{first} 占 {firstUsed:bytes}，{second} 占 {secondUsed:bytes}；每个任务能用的显存都比预想的少。',
  sharedRemedy: '让其中一个以 CUDA_VISIBLE_DEVICES={card} 启动：那张卡空闲。',
  sharedFullRemedy: '这张卡快满了：先等一个跑完，或把每个任务的微批次调小。',
  orderWhat: 'nvidia-smi 的 {card} 号卡在程序里是 cuda:{ordinal}。',
  orderWhy: 'nvidia-smi 按总线编号，CUDA 按速度编号。',
  orderRemedy: '设置 CUDA_DEVICE_ORDER=PCI_BUS_ID，两边编号就一致了。',
} as const satisfies Matching<typeof english>;
