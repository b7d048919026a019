import type { doctorMeaning as english } from '../en/doctorMeaning';
import type { Matching } from '../matching';

export const doctorMeaning = {
  brokenKernel:
    '这不是显存不足：某个核函数访问了不属于它的地址，或其中的断言失败。最常见的是索引越界：token 超出词表、标签超出类别数、位置超出最大长度。',
  noCard:
    '程序一张卡也看不到。请检查 CUDA_VISIBLE_DEVICES，在同一个 shell 里运行 nvidia-smi；在容器中请检查 --gpus。',
  noDriver: 'NVIDIA 驱动没有加载。改训练设置没有用。',
  containerLostCard:
    '容器失去了对显卡的访问，最常见的原因是宿主机上重新加载了 systemd。请重启容器；Docker 设置 "exec-opts": ["native.cgroupdriver=cgroupfs"] 可以避免再次发生。',
  cudaError:
    '一次 CUDA 调用失败了，“CUDA error”后面的文字说明是怎么失败的。如果说得含糊，就重启进程，并看看显卡是否还有响应（nvidia-smi）。',
  portInUse:
    '端口被占用：本机有另一个任务，或之前任务的残留进程还在。请结束它们（headroom stale 会列出），或换一个 --master_port（torchrun：--rdzv-endpoint=localhost:0）。',
  noKernelImage:
    '这个 PyTorch（或某个扩展）的构建不包含这一代显卡的代码。请安装 CUDA 版本支持该卡的构建；这不是显存不足。',
  driverTooOld: '驱动版本低于这个 PyTorch 构建的要求。请升级驱动，或安装面向更低 CUDA 版本的 PyTorch。',
  fabricNotReady:
    '带 NVSwitch 的机器上，显卡在等 fabric manager。请启动与驱动版本一致的 nvidia-fabricmanager 服务。',
  cpuOnlyBuild: '安装的 PyTorch 不带 CUDA 或 NCCL。请安装与你的 CUDA 版本对应的构建。',
  cardNotVisible:
    '程序指定了一张它看不到的卡。请检查 CUDA_VISIBLE_DEVICES 和每台机器的进程数；加载检查点时请检查 torch.load(…, map_location=…)。',
  twoDevices:
    '一次运算的两个张量不在同一设备上。请把 batch 移到模型所在的设备；使用 device_map="auto" 时不要再启动多个进程训练。',
  typesDiffer:
    '一次运算的两个张量类型不同（例如 half 和 float）。请在 torch.autocast 下运行，或用同一种类型加载模型。',
  shapesDiffer: '两个张量的形状不匹配：模型的尺寸与输入不符，或样本没有补齐到同样的长度。',
  stateDictDiffers: '检查点来自另一个模型：层、尺寸、词表或外层封装不同。',
  unusedParameters:
    '这个 rank 上有参数没有得到梯度，DistributedDataParallel 在等它们。请把它们从模型中去掉，或以 find_unused_parameters=True 构造。',
  notFinite:
    '损失或梯度变成了 NaN 或无穷大。请降低学习率、裁剪梯度、用 bf16 代替 fp16，并查看最后一个 batch。',
  scalerOnFp16Weights:
    'GradScaler 要求权重是 fp32，而这里是 fp16。请以 fp32（或 bf16）加载模型，其余交给 autocast。',
  hubNoAccess:
    'Hugging Face Hub 拒绝访问这个模型，或没有这个名字。请检查名称、在模型页面接受许可，并登录（hf auth login 或 HF_TOKEN）。',
  hubNotReached:
    '连不上 Hugging Face Hub，本机缓存里也没有所需文件。请在有网络的地方下载好，然后设置 HF_HUB_OFFLINE=1。',
  diskFull:
    '满的是磁盘（或你的配额），不是显卡。请对检查点目录、缓存和 /tmp 运行 df -h，并少保留一些检查点。',
  cudaAfterFork: '已经用过 CUDA 的进程被 fork 了。请用 spawn 方式启动 worker，并且在此之前不要使用 CUDA。',
  noMainGuard: 'worker 启动时会重新导入脚本。请把脚本要做的事放到 if __name__ == "__main__": 之下。',
  bitsandbytesWithoutCuda:
    'bitsandbytes 没有找到合适的 CUDA 库。请安装与你的 CUDA 对应的版本，并查看 python -m bitsandbytes。',
  libraryCallFailed:
    'cuBLAS 或 cuDNN 的一次调用失败。往往是更早的核函数出错、到这里才报告，或者类型、形状不受支持。请用 CUDA_LAUNCH_BLOCKING=1 重新运行；如果显存几乎已满，再用更小的 batch 试一次。',
  ncclSystemError:
    'NCCL 的系统调用失败：多半是机器之间的网络（网卡选错、防火墙）或共享内存。请用 NCCL_DEBUG=INFO 重新运行，查看报错前的最后几行。',
  ncclCudaFailure:
    'NCCL 内部的一次 CUDA 调用失败，但不是显存不足：它自己的报错会说明（两卡之间的访问、参数，或更早出错的核函数）。请用 NCCL_DEBUG=INFO 重新运行；如果提到 peer，可以试 NCCL_P2P_DISABLE=1。',
  ncclCallRefused:
    'NCCL 拒绝了这次调用。请确认每个 rank 独占一张卡、所有 rank 的 NCCL 版本相同；NCCL_DEBUG=WARN 会指出是哪个参数。',
  rendezvousTimeout:
    '有的 rank 没有到达起点，其余的等不下去了。请查看缺席的 rank 的日志，并检查地址、端口和防火墙。',
  staticTls:
    '某个库加载得太晚，分不到线程局部变量的空间；并不缺内存。请最先导入它，或用 LD_PRELOAD 预先加载报错中提到的库。',
  memoryLockLimit:
    '进程可锁定的内存不够网卡（RDMA）使用；与内存、显存的大小无关。请提高上限：ulimit -l unlimited；Docker 用 --ulimit memlock=-1；Slurm 用 PropagateResourceLimitsExcept=MEMLOCK。',
  timeLimit: '调度系统因到达时间上限结束了任务，与内存无关。请申请更长的时间，或保存检查点后从最近一个继续。',
  preempted: 'Slurm 为了别的任务结束了它，与内存无关。请从最近的检查点继续。',
  cancelled: 'Slurm 取消了任务：由人操作，或按集群的规则。此后被杀的进程不是原因。',
  crashed:
    '进程在本地代码中崩溃（段错误；在 Windows 上为访问冲突）。请用 python -X faulthandler 运行，看崩在哪里；最常见的原因是库版本混用。',
  interrupted: '任务是从外部结束的：人按了 Ctrl-C、终端关闭，或调度器所为。',
  importFailed: '缺少某个模块，或它是针对其他版本构建的。请在当前环境中、针对当前的 PyTorch 安装它。',
  notPermitted: '当前用户不能读或写某个文件或目录，报错中有它的名字。',
  fileMissing: '程序要找的文件或目录不存在，报错中有它的名字。',
  workerFailed:
    '启动器只说有一个 rank 失败了，原因在那个 rank 自己的输出里；用 --tee 3 或 --log-dir 启动可以把它保留下来。',
  pythonError: '程序以这个错误结束。它没有提到内存、显卡或其他 rank。',
  xidOfProgram:
    '驱动报告某个程序对显卡的请求出错，程序自己的报错会说得更多；如果任何程序都会这样，请检查显卡和驱动。',
  xidOther: '驱动报告显卡出错。请在 NVIDIA 的 Xid 错误表中查这个编号。',
  classOnly:
    '显存不足：日志里只有错误的类名。说明原因的数字在它的消息里；请贴出以它开头的那一行或整个 traceback。',
  memoryLine:
    '与内存、显存或显卡有关，但本版本不认识这种说法。这一行本身最能说明问题；它上面的内容说明在哪里发生。',
  seeAbove: '这个进程只是报告另一个进程失败了。根本原因在这一行之上：请贴出在它之前打印的第一个错误。',
} as const satisfies Matching<typeof english>;
