import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../../shared/doctor/reader';

/** What frameworks, runtimes, services and shells print, a message each, with the kind of trouble it is. */
const messages: readonly (readonly [string, string])[] = [
  [
    'RuntimeError: [enforce fail at alloc_cpu.cpp:114] data. DefaultCPUAllocator: not enough memory: you tried to allocate 8589934592 bytes.',
    'host-oom',
  ],
  ['OSError: [Errno 12] Cannot allocate memory', 'host-oom'],
  ['ERROR: Could not allocate 4.0 GB of VRAM for the model', 'oom'],
  ['error: insufficient video memory to load the model', 'oom'],
  ['RuntimeError: HIP error: out of memory', 'oom'],
  [
    'RuntimeError: NPU out of memory. Tried to allocate 2.00 GiB (NPU 0; 60.97 GiB total capacity; 57.20 GiB already allocated)',
    'oom',
  ],
  ['fatal error: cannot allocate memory in static TLS block', 'host-oom'],
  ['ValueError: Model size exceeds available GPU memory (24.1 GB > 15.9 GB)', 'oom'],
  ["thread 'main' panicked at 'Out of GPU memory'", 'oom'],
  [
    "terminate called after throwing an instance of 'sycl::_V1::runtime_error' what(): Native API failed. Native API returns: -5 (PI_ERROR_OUT_OF_RESOURCES)",
    'oom',
  ],
  ['CUDA driver error: out of memory', 'oom'],
  ['cudaErrorMemoryAllocation: out of memory', 'oom'],
  [
    'RuntimeError: Not enough memory, use lower resolution (max approx. 1024x1024). Need: 8.2GB free, Have:5.1GB free',
    'oom',
  ],
  ['torch.cuda.OutOfMemoryError', 'oom'],
  [
    'numpy.core._exceptions._ArrayMemoryError: Unable to allocate 37.3 GiB for an array with shape (100000, 50000) and data type float64',
    'host-oom',
  ],
  ['[1]    4242 killed     python train.py', 'host-oom'],
  ['Getötet', 'host-oom'],
  ['Processus arrêté', 'host-oom'],
  ['./train.sh: Zeile 3: 4242 Getötet                python train.py', 'host-oom'],
  ["fish: Job 1, 'python train.py' terminated by signal SIGKILL (Forced quit)", 'host-oom'],
  ['MemoryError: Unable to allocate internal buffer.', 'host-oom'],
  ['OSError: 页面文件太小，无法完成操作。 (os error 1455)', 'host-oom'],
  [
    'kernel: oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=/,mems_allowed=0,oom_memcg=/user.slice',
    'host-oom',
  ],
  ['systemd[1]: user@1000.service: A process of this unit has been killed by the OOM killer.', 'host-oom'],
  [
    'systemd-oomd[600]: Killed /user.slice/user-1000.slice due to memory used (62000000000) / total (64000000000) being more than 90.00%',
    'host-oom',
  ],
  ['The container was killed because it exceeded its memory limit.', 'host-oom'],
  ['command terminated with exit code 137', 'host-oom'],
  ['Your notebook tried to allocate more memory than is available. It has restarted.', 'host-oom'],
  ['Your session crashed after using all available RAM.', 'host-oom'],
  [
    'RuntimeError: cuSOLVER error: CUSOLVER_STATUS_INTERNAL_ERROR, when calling cusolverDnCreate(handle)',
    'oom',
  ],
  [
    'RuntimeError: cuda runtime error (2) : out of memory at /pytorch/aten/src/THC/generic/THCStorage.cu:58',
    'oom',
  ],
  ['RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling cublasCreate(handle)', 'oom'],
  ['HIPBLAS_STATUS_ALLOC_FAILED', 'oom'],
  ['MIOpen Error: Out of memory', 'oom'],
  ['RuntimeError: FlashAttention only supports Ampere GPUs or newer.', 'other'],
  [
    'RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!',
    'not-memory',
  ],
  ['RuntimeError: Triton Error [CUDA]: out of memory', 'oom'],
  ['RuntimeError: TensorRT: OutOfMemory: no further information', 'oom'],
  ['Could not load model: Failed to allocate memory for weights', 'oom'],
  [
    'tensorflow.python.framework.errors_impl.ResourceExhaustedError: {{function_node __wrapped__AddV2}} failed to allocate memory [Op:AddV2]',
    'oom',
  ],
  [
    '2024-01-01 10:10:10.1: W tensorflow/core/common_runtime/bfc_allocator.cc:479] Allocator (GPU_0_bfc) ran out of memory trying to allocate 2.00GiB (rounded to 2147483648)requested by op',
    'oom',
  ],
  [
    'jaxlib.xla_extension.XlaRuntimeError: INTERNAL: Failed to allocate 1073741824 bytes for new constant',
    'oom',
  ],
  [
    'OSError: Unable to allocate shared memory(shm) for file </torch_1_2_3>: Resource temporarily unavailable (11)',
    'shm',
  ],
  ["OSError: [Errno 28] No space left on device: '/dev/shm/nccl-abc'", 'shm'],
  [
    'paddle: ResourceExhaustedError: Out of memory error on GPU 1. Cannot allocate 2.000000GB memory on GPU 1, 30.0GB memory has been allocated',
    'oom',
  ],
  ['[Error] llama runner process has terminated: cudaMalloc failed: out of memory', 'oom'],
  ['Error: llama runner process has terminated: signal: killed', 'host-oom'],
  ['ggml_vulkan: Device memory allocation of size 1073741824 failed.', 'oom'],
  ['ggml_backend_cpu_buffer_type_alloc_buffer: failed to allocate buffer of size 17179869184', 'host-oom'],
  ['llama_model_load: error loading model: unable to allocate CUDA0 buffer', 'oom'],
  ['mlx: RuntimeError: [metal::malloc] Resource limit (499000) exceeded.', 'oom'],
  ['libc++abi: terminating due to uncaught exception of type std::bad_alloc: std::bad_alloc', 'host-oom'],
  ['Process finished with exit code 137 (interrupted by signal 9: SIGKILL)', 'host-oom'],
  [
    "ValueError: The model's max seq len (32768) is larger than the maximum number of tokens that can be stored in KV cache (8192). Try increasing gpu_memory_utilization",
    'oom',
  ],
  [
    'torch.distributed.elastic.multiprocessing.errors.ChildFailedError: Signal 9 (SIGKILL) received by PID 4242',
    'host-oom',
  ],
  ['ray.exceptions.OutOfMemoryError: Task was killed due to the node running low on memory.', 'host-oom'],
  ['Message: Free memory on GPU is too low', 'oom'],
  ['E0000 00:00:1 cuda_dnn.cc:534] Could not create cudnn handle: CUDNN_STATUS_NOT_INITIALIZED', 'oom'],
  ['RuntimeError: Unable to find a valid cuDNN algorithm to run convolution', 'oom'],
  ['OutOfMemoryError: Allocation on device 0 would exceed allowed memory. (out of memory)', 'oom'],
  ['java.lang.OutOfMemoryError: Java heap space', 'host-oom'],
  [
    'cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 8,000,000,000 bytes (allocated so far: 0 bytes).',
    'oom',
  ],
  ['[XLA] RESOURCE_EXHAUSTED: Ran out of memory in memory space hbm', 'oom'],
  ['NVRM: Xid (PCI:0000:3b:00): 31, pid=4242, name=python, Ch 00000008, intr 00000000. MMU Fault', 'driver'],
  ['slurmstepd: error: Detected 1 oom_kill event in StepId=4242.batch.', 'host-oom'],
  ['bsub: TERM_MEMLIMIT: job killed after reaching LSF memory usage limit.', 'host-oom'],
  ['RuntimeError: Invalid buffer size: 24.00 GiB', 'oom'],
  [
    'RuntimeError: MPS backend out of memory (MPS allocated: 17.00 GB, other allocations: 1.00 GB, max allowed: 18.13 GB). Tried to allocate 256.00 MB on private pool.',
    'oom',
  ],
];

/** Words that no grammar knows: they must not be told to be no matter of memory. */
const unknown = [
  'RuntimeError: XPU allocator gave up',
  'Error: the NPU refused the tensor',
  'RuntimeError: HIP launch failed for unknown reasons',
  'RuntimeError: Metal command encoder failed',
  'OSError: shm segment vanished',
  'SomeError: worker killed by watchdog',
  'RuntimeError: device lost',
  'ValueError: GPU arena in bad state',
  'RuntimeError: RAM check failed',
] as const;

const behind = (text: string): string =>
  `Traceback (most recent call last):\n  File "train.py", line 4, in <module>\n    main()\n${text}\n`;

function rootOf(text: string) {
  const { failures, rootFailure } = diagnose(text);
  return failures[rootFailure ?? 0];
}

describe('messages of many programs', () => {
  it.each(messages)('%s is %s', (text, kind) => {
    expect(rootOf(`${text}\n`)?.kind).toBe(kind);
  });
});

describe('a message about memory or a card that no grammar knows', () => {
  it.each(unknown)('is called so, with its line: %s', (text) => {
    const failure = rootOf(behind(text));
    expect(failure?.format).toBe('memory-line');
    expect(failure?.line).toBe(4);
    expect(failure?.excerpt).toContain(text);
    expect(failure?.meaning?.key).not.toBe('doctorMeaning.pythonError');
  });

  it('leaves an error of something else what it is', () => {
    expect(rootOf(behind("KeyError: 'input_ids'"))?.meaning?.key).toBe('doctorMeaning.pythonError');
  });
});
