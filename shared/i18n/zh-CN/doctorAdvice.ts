import type { doctorAdvice as english } from '../en/doctorAdvice';
import type { Matching } from '../matching';

export const doctorAdvice = {
  allocatorSettings:
    '调整分配器（expandable_segments、max_split_size_mb）：PyTorch 每次都会打印这条提示，在这里没有可腾出的空间。',
  allocatorSettingsHuge: '调整分配器：无论怎么切分，都放不下这么大的一整块。',
  emptyCache:
    'torch.cuda.empty_cache()：它只归还未使用的保留显存，不会释放存活的张量，也不会释放别的进程占用的显存。',
  smallerBatchNotReached: '减小批次：失败时还没有跑到任何批次。',
  smallerBatchForeign: '减小批次：缺少的显存在别的进程手里。',
  smallerBatchRefused: '减小批次：显卡本来就放得下这一批。',
  smallerBatchNotMemory: '减小批次或换更大的卡：问题不在显存。',
  fewerEpochs: '减少 epoch：除非有泄漏，显存不会随 epoch 累加。',
  raiseTimeout: '延长 NCCL 超时：所等的 rank 不会来了。',
  killByName: '按名字结束所有 Python 进程（pkill、killall）：会连带结束其他任务和其他人的工作。',
  fuserKill: 'fuser -k /dev/nvidia*：会把桌面一起结束。',
  killAgain: '再来一次 kill -9：停在内核里的进程收不到。',
  shmForTriton: '--shm-size 或 /dev/shm：这里的共享内存在芯片上。',
  ulimitForShm: 'ulimit：/dev/shm 有自己的大小。',
  shmForMappedFile: '增大 /dev/shm：如果是映射文件损坏，耗尽的不是它。',
  offloadToRam: '卸载到 CPU：耗尽的正是内存。',
  moreWorkers: '增加数据加载进程：每个都要占用内存。',
  accumulationSteps: '只设 eval_accumulation_steps：只是把堆积从显存搬到内存。',
  preallocate:
    '关闭预分配（XLA_PYTHON_CLIENT_PREALLOCATE、allow_growth）：只是改变占用的时间，不会多出显存。',
  killSelf: '结束进程 {pid}：它就是这个任务自己，只是显示的是容器外的编号。',
  watermark: 'PYTORCH_MPS_HIGH_WATERMARK_RATIO=0.0：可能让整台机器崩溃。',
  sharedGpuMemory: '把“共享 GPU 内存”当作空间：那是内存，而且很慢。',
  openFilesForShm: '增大 /dev/shm：触到的是打开文件数的上限。',
  restartOnly: '原样重新启动：会在同一处失败。',
} as const satisfies Matching<typeof english>;
