import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../../shared/doctor/reader';

/** Other wordings of the same troubles, each with its format and its first cause. */
const variants: readonly (readonly [string, string, string | null])[] = [
  [
    'RuntimeError: DataLoader worker (pid(s) 12345, 12346) exited unexpectedly',
    'dataloader-exited',
    'host_ram',
  ],
  ['RuntimeError: DataLoader worker (pid 7) is killed by signal: Killed.', 'dataloader', 'host_ram'],
  ['srun: error: node12: tasks 0-3: Killed', 'process-killed', 'host_ram'],
  ['srun: error: node12: task 1: Out Of Memory', 'slurm-oom-kill', 'host_ram'],
  [
    'slurmstepd: error: Job 71 exceeded memory limit (41943040 > 33554432), being killed',
    'slurm-oom-kill',
    'host_ram',
  ],
  ['State: OUT_OF_MEMORY (exit code 0)', 'slurm-oom-kill', 'host_ram'],
  ['81234          finetune OUT_OF_ME+    0:125', 'slurm-oom-kill', 'host_ram'],
  ['TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.', 'scheduler-memory-limit', 'host_ram'],
  ['=>> PBS: job killed: mem 34603008kb exceeded limit 33554432kb', 'scheduler-memory-limit', 'host_ram'],
  ['Last State: Terminated\n  Reason: OOMKilled\n  Exit Code: 137', 'kubernetes-oom-killed', 'host_ram'],
  [
    'torch.multiprocessing.spawn.ProcessExitedException: process 1 terminated with signal SIGKILL',
    'process-killed',
    'host_ram',
  ],
  [
    "subprocess.CalledProcessError: Command '['python', 'train.py']' died with <Signals.SIGKILL: 9>.",
    'process-killed',
    'host_ram',
  ],
  ['zsh: killed     python train.py', 'shell-killed', 'host_ram'],
  ['./run.sh: line 12: 4101 Killed                  python train.py --epochs 3', 'shell-killed', 'host_ram'],
  [
    '(1) The process is killed by SIGKILL by OOM killer due to high memory usage. (2) ray stop --force is called.',
    'Ray-worker-died',
    'host_ram',
  ],
  [
    '[ 1203.4] Out of memory: Killed process 2081 (python) total-vm:91234567kB, anon-rss:61234567kB, file-rss:0kB',
    'kernel-oom-kill',
    'host_ram',
  ],
  [
    'RuntimeError: unable to mmap 4096 bytes from file <filename not specified>: Cannot allocate memory (12)',
    'mmap-errno-12',
    'host_ram',
  ],
  ["terminate called after throwing an instance of 'std::bad_alloc'", 'MemoryError', 'host_ram'],
  ['exits with return code = -9', 'deepspeed-launch', 'host_ram'],
  ['  exitcode  : -9 (pid: 4203)', 'elastic-summary', 'host_ram'],
  ['OSError: [WinError 1455] 页面文件太小，无法完成操作。', 'WinError-1455', 'windows_commit_limit'],
  [
    'OSError: [WinError 8] Not enough memory resources are available to process this command',
    'WinError-1455',
    'windows_commit_limit',
  ],
  ['File "D:\\a\\train.py", line 3\nMemoryError', 'MemoryError', 'host_ram'],
  ["OSError: [Errno 28] No space left on device: '/dev/shm/sem.mp-abc'", 'shm-errno-28', 'shm_small'],
  ['Fatal Python error: Bus error', 'elastic-sigbus', 'shm_small'],
  ['exits with return code = -7', 'elastic-sigbus', 'shm_small'],
  [
    'ERROR: Unexpected bus error encountered in worker. This might be caused by insufficient shared memory (shm).',
    'dataloader-buserror',
    'shm_small',
  ],
  ['RuntimeError: received 0 items of ancdata', 'fd-limit', 'fd_limit'],
  [
    'RuntimeError: unable to open shared memory object </torch_31_99> in read-write mode: Too many open files (24)',
    'fd-limit',
    'fd_limit',
  ],
  [
    '!!! Exception during processing !!! Allocation on device ',
    'cudaMallocAsync-truncated',
    'too_small_card_or_batch',
  ],
  [
    'RuntimeError: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling NumCudaDevices() that might have already set an error? Error 2: out of memory',
    'CUDA-error-nonumbers',
    'driver_level_oom',
  ],
  [
    'RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 803: system has unsupported display driver / cuda driver combination',
    'NVML-mismatch',
    'driver_mismatch',
  ],
  ['RuntimeError: HIP error: out of memory', 'CUDA-error-nonumbers-HIP', 'driver_level_oom'],
  [
    'Memory critical error by agent node-0 (Agent handle: 0x5) HSA_STATUS_ERROR_OUT_OF_RESOURCES',
    'HSA',
    'too_small_card_or_batch',
  ],
  ['RuntimeError: cuDNN error: CUDNN_STATUS_ALLOC_FAILED', 'cuDNN-masked', 'masked_cudnn'],
  [
    'RuntimeError: FIND was unable to find an engine to execute this computation',
    'cuDNN-masked',
    'masked_cudnn',
  ],
  [
    '2026-01-01 00:00:00: E tensorflow/stream_executor/cuda/cuda_dnn.cc:429] Could not create cudnn handle: CUDNN_STATUS_NOT_INITIALIZED',
    'TF-cuDNN',
    'masked_cudnn',
  ],
  [
    'W tensorflow/core/common_runtime/gpu/gpu_host_allocator: could not allocate pinned host memory of size: 2304',
    'TF-pinned-host',
    'pinned_memory',
  ],
  [
    'RuntimeError: CUDA error: invalid argument while pinning\n  File "/env/torch/utils/data/_utils/pin_memory.py", line 3, in pin_memory\nRuntimeError: CUDA error: out of memory',
    'CUDA-error-nonumbers',
    'pinned_memory',
  ],
  [
    'RuntimeError: Not enough memory to handle 4096 prefill tokens. You need to decrease `--max-batch-prefill-tokens`',
    'tgi-warmup',
    'warmup_peak',
  ],
  [
    'torch.distributed.DistBackendError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1333, unhandled cuda error (run with NCCL_DEBUG=INFO for details), NCCL version 2.18.1',
    'nccl-unhandled-cuda-error',
    'nccl_buffers_oom',
  ],
  [
    "ncclUnhandledCudaError: Call to CUDA function failed.\nLast error:\nCuda failure 2 'out of memory'",
    'nccl-unhandled',
    'nccl_buffers_oom',
  ],
  [
    "[rank3]:[E429 13:55:49.384372190 ProcessGroupNCCL.cpp:1743] [PG ID 0 PG GUID 0(default_pg) Rank 3] ProcessGroupNCCL's watchdog got stuck for 480 seconds without making progress",
    'nccl-watchdog-stuck',
    'nccl_victim',
  ],
  ['NVRM: Xid (PCI:0000:65:00): 48, pid=4101, Double Bit ECC Error', 'Xid', 'ecc'],
  [
    'NVRM: Xid (PCI:0000:65:00): 119, pid=4101, Timeout after 6s of waiting for RPC response from GPU0 GSP!',
    'Xid',
    'gpu_lost',
  ],
  ['NVRM: Xid (PCI:0000:65:00): 31, pid=4101, Ch 00000008, MMU Fault', 'Xid', null],
  ["NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.", 'no-driver', null],
  ['RuntimeError: No CUDA GPUs are available', 'CUDA-no-device', null],
  [
    "RuntimeError: Device(id:0) memory isn't enough and alloc failed, kernel name: Default/Conv2D-op12, alloc size: 411041792B.",
    'MindSpore',
    'too_small_card_or_batch',
  ],
  [
    'ResourceExhaustedError: Graph execution error:\nfailed to allocate memory',
    'TF-tensor',
    'too_small_card_or_batch',
  ],
  [
    'CUDA Error: out of memory at /workspace/csrc/cumem_allocator.cpp:62',
    'CUDA-error-vllm-pool',
    'driver_level_oom',
  ],
  [
    'ValueError: Free memory on device xpu:0 (0.22/30.3 GiB) on startup is less than desired GPU memory utilization (0.7, 21.21 GiB).',
    'vllm-startup',
    'other_process',
  ],
  [
    'RuntimeError: One of the subprocesses has abruptly died during map operation.To debug the error, disable multiprocessing.',
    'child-killed',
    'host_ram',
  ],
  ['c++: fatal error: Killed signal terminated program cc1plus', 'compiler-killed', 'host_ram'],
  ['RuntimeError: CUDA failed with error out of memory', 'CUDA-error-nonumbers', 'driver_level_oom'],
  ['gpu error res=2 CUDA failure 2: out of memory', 'CUDA-error-nonumbers', 'driver_level_oom'],
  ['some.lib.DeviceError: ran out of memory', 'error-out-of-memory', 'too_small_card_or_batch'],
  ['| ERR! ERR! ERR!    ERR! / ERR! | GPU is lost          |    ERR!', 'nvidia-smi-error', 'gpu_lost'],
  [
    'RuntimeError: [Rank 0]: Ranks 3 failed to pass monitoredBarrier in 1800000 ms',
    'nccl-watchdog-stuck',
    'nccl_victim',
  ],
  [
    '2026-06-11T09:22:31.004Z container oom 8f1c (image=trainer:latest, name=trainer)',
    'kubernetes-oom-killed',
    'host_ram',
  ],
  [
    '[I 2026-05-02 10:12:11.425 ServerApp] AsyncIOLoopKernelRestarter: restarting kernel (1/5), keep random ports',
    'notebook-kernel-died',
    'host_ram',
  ],
  // The pod's own name ends in a 0; it denies nothing.
  ['[f81a-n0-0] terminated with exit code (137). Reason [Error].', 'process-killed', 'host_ram'],
  [
    '2026-01-01 07:07:23.5: E xla/pjrt/client.cc:21] Execution of replica 0 failed: INTERNAL: Failed to allocate 50331648 bytes for new constant',
    'JAX',
    'other_process',
  ],
  [
    '[Rank 0] Watchdog caught collective operation timeout:\n  WorkNCCL(SeqNum=2, OpType=ALLREDUCE, Timeout(ms)=1800000)\n  ran for 1800090 milliseconds',
    'nccl-watchdog-2.0',
    'nccl_victim',
  ],
  [
    'XlaRuntimeError: INTERNAL: Failed to launch CUDA kernel: fusion_1 with grid dimensions: 1x1x1: CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access was encountered.',
    'CUDA-broken-kernel',
    null,
  ],
];

describe('other wordings', () => {
  it.each(variants)('%s', (text, format, cause) => {
    const { failures, rootFailure } = diagnose(text);
    const failure = failures[rootFailure ?? 0];
    expect(failure?.format).toBe(format);
    expect(failure?.causes[0]?.cause ?? null).toBe(cause);
  });
});

describe('nvidia-smi printouts', () => {
  const table = (used: string, utilization: string, processes: string): string => `
+-----------------------------------------------------------------------------+
| NVIDIA-SMI 525.85.12    Driver Version: 525.85.12    CUDA Version: 12.0     |
|-------------------------------+----------------------+----------------------+
| GPU  Name        Persistence-M| Bus-Id        Disp.A | Volatile Uncorr. ECC |
| Fan  Temp  Perf  Pwr:Usage/Cap|         Memory-Usage | GPU-Util  Compute M. |
|                               |                      |               MIG M. |
|===============================+======================+======================|
|   0  Tesla V100-SXM2...  On   | 00000000:00:16.0 Off |                    0 |
| N/A   35C    P0    67W / 300W |  ${used}MiB / 32768MiB |    ${utilization}%      Default |
|                               |                      |                  N/A |
+-------------------------------+----------------------+----------------------+

+-----------------------------------------------------------------------------+
| Processes:                                                                  |
|  GPU   GI   CI        PID   Type   Process name                  GPU Memory |
|        ID   ID                                                   Usage      |
|=============================================================================|
${processes}
+-----------------------------------------------------------------------------+
`;
  const python = '|    0   N/A  N/A    331903      C   python                         22277MiB |';
  const none = '|  No running processes found                                                 |';

  it('says that an idle card holds memory of nobody', () => {
    const { failures } = diagnose(table('22277', '  0', none));
    expect(failures.map(({ kind, causes }) => [kind, causes[0]?.cause])).toEqual([
      ['zombie', 'leftover_process'],
    ]);
    expect(failures[0]?.causes[0]?.evidence[0]?.values).toEqual({ held: 22_277 * 1024 ** 2, gpuIndex: '0' });
  });

  it.each([
    ['a listed process holds it', table('22277', '  0', python)],
    ['the card is at work for somebody outside the container', table('22277', ' 98', none)],
    ['hardly anything is held', table('  410', '  0', none)],
  ])('says nothing where %s', (_what, text) => {
    expect(diagnose(text).failures).toEqual([]);
  });
});
