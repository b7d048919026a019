import type { Grammar } from './grammar';

/** The runtime or the driver itself says "out of memory"; no sizes, and the stack trace may point elsewhere. */
const shared = { kind: 'oom', role: 'cause', story: 'gpu-oom' } as const;

export const cudaGrammars = [
  {
    ...shared,
    format: 'cudaMallocAsync',
    framework: 'pytorch',
    vendor: 'nvidia',
    examples: [
      'Allocation on device 0 would exceed allowed memory. (out of memory)\nCurrently allocated : 5.96 GiB\nRequested : 12.50 MiB\nDevice limit : 12.00 GiB\nFree (according to CUDA): 5.00 GiB\nPyTorch limit (set by user-supplied memory fraction)\n: 17179869184.00 GiB',
    ],
    anchors: ['would exceed allowed memory', 'currently allocated', 'free (according to cuda)'],
    start: 'Allocation on device {gpuIndex:index} would exceed allowed memory',
    fields: [
      'Currently allocated:{allocatedBytes:size}',
      'Requested:{triedBytes:size}',
      'Device limit:{capacityBytes:size}',
      'Free\\(according to CUDA\\):{freeBytes:size}',
      'PyTorch limit\\(set by user-supplied memory fraction\\):{allowedBytes:size}',
    ],
  },
  {
    ...shared,
    format: 'cudaMallocAsync-truncated',
    framework: 'pytorch',
    vendor: 'nvidia',
    examples: ['torch.OutOfMemoryError: Allocation on device'],
    anchors: ['allocation on device'],
    start: 'OutOfMemoryError.{0,60}?Allocation on device {gpuIndex:index}',
  },
  {
    ...shared,
    by: 'line',
    format: 'cudaMallocAsync-truncated',
    framework: 'pytorch',
    vendor: 'nvidia',
    examples: ['!!! Exception during processing !!! Allocation on device'],
    anchors: ['allocation on device'],
    start: '(?:^|(?:Exception|[Ee]rror|!!!).{0,40}\\s)Allocation on device ?\\S?\\s*$',
  },
  {
    ...shared,
    format: 'CUDA-error-nonumbers',
    framework: 'pytorch',
    vendor: 'nvidia',
    examples: [
      'RuntimeError: Unexpected error from cudaGetDeviceCount(). Did you run some cuda functions before calling NumCudaDevices() that might have already set an error? Error 2: out of memory',
    ],
    anchors: ['error 2: out of memory'],
    start: 'cudaGetDeviceCount\\(\\).{0,200}?Error 2: out of memory',
  },
  {
    ...shared,
    format: 'P0-THCudaCheck',
    framework: 'pytorch',
    vendor: 'nvidia',
    since: '0.1',
    examples: [
      'THCudaCheck FAIL file=/pytorch/aten/src/THC/generic/THCStorage.cu line=58 error=2 : out of memory',
    ],
    anchors: ['thcudacheck fail', 'cuda runtime error'],
    start:
      'THCudaCheck FAIL file={sourceFile:path} line={sourceLine:integer} error={cudaError:integer}: out of memory',
    fields: ['cuda runtime error \\(2\\): out of memory at {raisedIn:path}'],
  },
  {
    ...shared,
    format: 'P0-THCudaCheck',
    framework: 'pytorch',
    vendor: 'nvidia',
    since: '0.1',
    examples: [
      'RuntimeError: cuda runtime error (2) : out of memory at /pytorch/aten/src/THC/generic/THCStorage.cu:58',
    ],
    anchors: ['cuda runtime error'],
    start: 'cuda runtime error \\({cudaError:integer}\\): out of memory',
    fields: ['at {sourceFile:path}:{sourceLine:integer}'],
  },
  {
    ...shared,
    // vLLM's pool, which it gives away for sleep and asks back for when woken.
    format: 'CUDA-error-vllm-pool',
    framework: 'pytorch',
    vendor: 'nvidia',
    examples: ['CUDA Error: out of memory at csrc/cumem_allocator.cpp:62'],
    anchors: ['cumem_allocator.cpp'],
    start: 'CUDA error: out of memory at .{0,120}?cumem_allocator\\.cpp',
  },
  {
    ...shared,
    // ggml names its back end before the call that failed: ggml/src/ggml-cuda/ggml-cuda.cu, ggml_cuda_error.
    format: 'ggml',
    framework: 'llama.cpp',
    vendor: null,
    examples: [
      'ROCm error: out of memory\n  current device: 0, in function alloc at ggml/src/ggml-cuda/ggml-cuda.cu:420',
    ],
    anchors: ['error: out of memory'],
    start:
      '(?:CUDA|ROCm|HIP|MUSA|SYCL) error: out of memory(?:\\S{1,40}: )? current device: {gpuIndex:index}, in function',
  },
  {
    ...shared,
    format: [
      { name: 'CUDA-error-nonumbers-HIP', when: /HIPerror|hipError|ROCmerror/, vendor: 'amd' },
      { name: 'CUDA-error-nonumbers', when: /(?:)/, vendor: 'nvidia' },
    ],
    framework: 'pytorch',
    vendor: null,
    examples: ['HIP error: out of memory', 'ROCm error: out of memory'],
    anchors: ['error: out of memory'],
    statement: /(?:CUDA|HIP|ROCm)(?: driver| runtime)? error: out of memory/i,
    start: '(?:CUDA|HIP|ROCm)(?: driver| runtime)? error: out of memory',
  },
  {
    ...shared,
    format: 'CUDA-error-name',
    framework: 'pytorch',
    vendor: 'nvidia',
    examples: ['cupy_backends.cuda.api.runtime.CUDARuntimeError: cudaErrorMemoryAllocation: out of memory'],
    anchors: ['cudaerrormemoryallocation', 'hiperroroutofmemory', 'cuda_error_out_of_memory'],
    statement: /cudaErrorMemoryAllocation|hipErrorOutOfMemory|CUDA_ERROR_OUT_OF_MEMORY/i,
    start: '(?:cudaErrorMemoryAllocation|hipErrorOutOfMemory|CUDA_ERROR_OUT_OF_MEMORY)',
  },
  {
    ...shared,
    // With its explanation behind it, the name is printed and not written about.
    format: 'CUDA-error-name',
    framework: null,
    vendor: 'nvidia',
    examples: [
      'XlaRuntimeError: INTERNAL: Failed to load in-memory CUBIN (compiled for a different GPU?).: CUDA_ERROR_OUT_OF_MEMORY: out of memory',
    ],
    anchors: ['cuda_error_out_of_memory: out of memory'],
    start: '(?<!from device.{0,30})CUDA_ERROR_OUT_OF_MEMORY: out of memory',
  },
  {
    ...shared,
    format: 'pin-memory-thread',
    framework: 'pytorch',
    vendor: null,
    examples: ['RuntimeError: Caught RuntimeError in pin memory thread for device 0.'],
    anchors: ['in pin memory thread'],
    start: 'Caught \\w{1,40}?(?:Error|Exception) in pin memory thread for device {gpuIndex:index}',
  },
  {
    ...shared,
    format: 'XGBoost',
    framework: 'xgboost',
    vendor: null,
    examples: [
      'xgboost.core.XGBoostError: [12:01:55] ../src/c_api/../data/../common/device_helpers.cuh:431: Memory allocation error on worker 0: std::bad_alloc: cudaErrorMemoryAllocation: out of memory\nFree memory: 12582912\nRequested memory: 9582912',
    ],
    anchors: ['memory allocation error on worker'],
    start: 'Memory allocation error on worker {rank:integer}: std::bad_alloc',
    fields: ['Free memory: {freeBytes:integer}', 'Requested memory: {triedBytes:integer}'],
  },
  {
    ...shared,
    format: 'CUDA-error-nonumbers',
    framework: 'pytorch',
    vendor: 'nvidia',
    examples: [
      'what():  parallel_for failed: out of memory',
      'RuntimeError: CUDA Error 2, out of memory',
      'RuntimeError: Triton Error [HIP]:  Code: 2, Message: out of memory',
      'F0321 02:07:08.408271 syncedmem.cpp:71] Check failed: error == cudaSuccess (2 vs. 0)  out of memory',
      'tensorflow.python.framework.errors_impl.InternalError: cudaGetDevice() failed. Status: out of memory',
      'RuntimeError: [TensorRT-LLM][ERROR] CUDA runtime error in ::cudaMallocAsync(ptr, n, mMemPool->getPool(), mCudaStream->get()): out of memory',
    ],
    anchors: [
      'cuda error 2, out',
      'triton error [',
      'cudasuccess (2 vs. 0)',
      'failed. status: out of memory',
      'cuda runtime error in',
      'parallel_for failed',
      ' results in cuda_error_out',
      'cuda error(2)',
      'cuda failure 2: ',
      'driver error: 2 (out',
      'cuda failed with error out',
    ],
    start:
      '(?:parallel_for failed: (?:cudaErrorMemoryAllocation: )?out of memory|Call to cu\\w{1,40} results in CUDA_ERROR_OUT_OF_MEMORY|CUDA error ?\\(2\\),? out of memory|CUDA failure 2: out of memory|CUDA driver error: 2 \\(out of memory\\)|CUDA failed with error out of memory|CUDA Error 2,? out of memory|Triton Error \\[(?:CUDA|HIP)\\]:.{0,30}? out of memory|cudaSuccess \\(2 vs\\. 0\\) out of memory|failed\\. Status: out of memory|CUDA runtime error in .{0,160}?: out of memory)',
  },
  {
    ...shared,
    // https://www.mathworks.com/help/parallel-computing/gpudevice.html
    format: 'MATLAB',
    framework: 'matlab',
    vendor: 'nvidia',
    examples: [
      "Error using gpuArray/mtimes\nOut of memory on device. To view more detail about available memory on the GPU, use 'gpuDevice()'.",
    ],
    anchors: ['out of memory on device.'],
    start: 'Out of memory on device\\.',
  },
  {
    ...shared,
    format: 'RMM',
    framework: 'rmm',
    vendor: 'nvidia',
    examples: ['rmm._lib.RMMError: RMM_ERROR_OUT_OF_MEMORY'],
    anchors: ['std::bad_alloc: ', 'rmm_error_out_of_memory', 'maximum pool size exceeded'],
    start:
      '(?:std::bad_alloc: (?:out_of_memory: )?(?:CUDA error|RMM failure|cudaErrorMemoryAllocation)|RMM_ERROR_OUT_OF_MEMORY|Maximum pool size exceeded)',
  },
  {
    ...shared,
    format: 'CuPy',
    framework: 'cupy',
    vendor: 'nvidia',
    examples: [
      'cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 8,053,063,680 bytes (allocated so far: 16,106,127,360 bytes).',
    ],
    anchors: ['out of memory allocating'],
    start: 'Out of memory allocating {triedBytes:grouped} bytes',
    fields: [
      'allocated so far: {allocatedBytes:grouped} bytes',
      'limit set to: {allowedBytes:grouped} bytes',
    ],
  },
  {
    ...shared,
    format: 'cudaMalloc',
    framework: null,
    vendor: 'nvidia',
    examples: [
      'mxnet.base.MXNetError: [11:18:15] src/storage/./pooled_storage_manager.h:157: cudaMalloc failed: out of memory',
    ],
    anchors: ['cudamalloc', 'cudahostalloc', 'cumemalloc', 'cumemcreate'],
    start:
      '(?:cudaMalloc|cudaHostAlloc|cudaMallocHost|cuMemAlloc|cuMemCreate)[^.;]{0,40}? (?:out of memory|failed: 2\\b)',
  },
] as const satisfies readonly Grammar[];
