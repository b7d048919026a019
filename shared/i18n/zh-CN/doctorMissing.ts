import type { doctorMissing as english } from '../en/doctorMissing';
import type { Matching } from '../matching';

export const doctorMissing = {
  textOfEnd:
    '进程结束时的输出：调用栈会指出失败的调用以及申请了多少。请粘贴到下方，Headroom 看到的情况会一并列为依据。',
  numbers: '缺少报错中的数字。请提供以 “CUDA out of memory. Tried to allocate” 开头的整行。',
  headOfMessage: '报错缺少开头，不知道申请了多少。',
  tailOfMessage: '报错的结尾被截断。请提供这一行余下的部分。',
  failingCall:
    '看不出是哪个调用出的错，因为核函数的错误会延后报告。请用 CUDA_LAUNCH_BLOCKING=1 重新运行，并提供那次的 traceback。',
  lastLine: 'traceback 在最后一行之前被截断，看不到抛出的是什么。请提供到结尾的文本。',
  frames: '现有的调用栈看不出是哪个阶段（加载、前向、损失、优化器、评估）。请提供报错上方完整的 traceback。',
  step: '看不出是第几步。第一步就失败还是很晚才失败，可以区分固定的问题和少见的批次。',
  growth: '单个时刻看不出增长。请提供若干步的显存数值，或让 Headroom 观察下一次运行。',
  memorySnapshot:
    '看不出显存被哪些张量占用。加两行即可录制：训练开始前调用 torch.cuda.memory._record_memory_history(max_entries=200000)，捕获 OutOfMemoryError 处调用 torch.cuda.memory._dump_snapshot("snapshot.pickle")。在这里或用 headroom snapshot 打开该文件。',
  holders: '看不出其余显存被谁占用。请在容器之外运行 nvidia-smi，提供当时的结果。',
  hostMemory: '没有内存信息。请提供当时的 free -h（Windows 为任务管理器里的“已提交”）。',
  reserved: '没有给出分配器的保留量，既看不出也排除不了碎片。',
  kernelLog:
    '文本中看不出 SIGKILL 是谁发的。请提供内核日志（dmesg、sacct、kubectl describe），确认是不是 OOM killer。',
  shmSize: '没有 /dev/shm 的大小。请在容器内运行 df -h /dev/shm。',
  openFiles: '没有打开文件数的上限。请在同一个 shell 中运行 ulimit -n。',
  otherRanks: '文本只包含部分 rank。请提供所有 rank 的日志，以及第一条不是超时的错误。',
  remoteLog: '缺少另一端的日志，原因在那里。',
  cardMeant: '看不出任务本来要用哪张卡或哪个 MIG 实例。请提供 CUDA_VISIBLE_DEVICES 和 nvidia-smi -L。',
  driverLog: '缺少驱动日志。请提供该时刻前后的 dmesg。',
  cardInUse: '看不出显卡是否正被占用或处于独占模式。请提供 nvidia-smi -q -d COMPUTE。',
  ncclDebug: '缺少 NCCL 自己的信息。请设置 NCCL_DEBUG=WARN 再运行一次。',
  numbersEarlier: '显卡的数字来自更早的一行，失败时的空闲量没有给出。',
  gpuIndex: '这个版本的报错里看不出是几号卡。',
} as const satisfies Matching<typeof english>;
