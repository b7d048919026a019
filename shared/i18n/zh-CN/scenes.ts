import type { scenes as english } from '../en/scenes';
import type { Matching } from '../matching';

export const scenes = {
  two3090OomTitle: '两张 RTX 3090，显存不足',
  two3090OomDescription:
    '微调 Llama-2 13B 时所有内容都放在第一张显卡上，显存占满后进程退出，而第二张显卡一直空着。',
  eightHealthyTitle: '八张显卡，运行正常',
  eightHealthyDescription: '八张 A100 上的一个 DDP 任务：负载均衡、利用率高、显存平稳。',
  driverMismatchTitle: '驱动版本不匹配',
  driverMismatchDescription: '驱动更新后内核模块仍是旧版本，nvidia-smi 无法工作；{seconds} 秒后恢复。',
  smiHangsTitle: 'nvidia-smi 无响应',
  smiHangsDescription: 'nvidia-smi 在 {from} 秒后停止响应，到第 {until} 秒恢复。',
  orphanedRanksTitle: '残留的 rank 进程',
  orphanedRanksDescription:
    '一个双卡训练的启动器被终止，它的 rank 不再工作却各占 19 GiB 显存；旁边另有一个正常的任务。',
  slowLeakTitle: '缓慢泄漏',
  slowLeakDescription: '一个训练每秒多占 13 MiB 显存，直到占满显卡；另一个训练保持平稳。',
  twoLeaksTitle: '一卡两处泄漏',
  twoLeaksDescription:
    '两个训练共用一张卡，各自每秒多占 12 MiB 显存：合在一起，占满的时间只有单独一个的一半。',
  loadingShardsTitle: '分片加载',
  loadingShardsDescription:
    '模型分 {shards} 个分片加载，直到占去显卡的九成，然后开始训练：不是泄漏，也不会告警。',
  dataparallelImbalanceTitle: 'DataParallel 不均衡',
  dataparallelImbalanceDescription:
    '一个 DataParallel 进程使用四张显卡：第一张汇集输出，几乎占满，其余的约空一半。',
  strayContextsTitle: '0 号卡上的多余上下文',
  strayContextsDescription: '四个没有调用 set_device 的 rank：每个都在 0 号卡上另占一个上下文。',
  migTitle: 'MIG',
  migDescription: '两张 A100，第一张划分为三个 MIG 实例，其中两个正在使用。',
  restlessTitle: '不平静的一天',
  restlessDescription: '每八分钟一个任务，一张显卡时断时续，nvidia-smi 不时出错。',
  cardLostTitle: '显卡掉线',
  cardLostDescription: '四张显卡中的 {card} 号卡在 {seconds} 秒后从总线上掉线。',
  sixteenCardsTitle: '十六张显卡',
  sixteenCardsDescription: '一台共享的机器：十六张 H100、四个任务、约 130 个进程。',
} as const satisfies Matching<typeof english>;
