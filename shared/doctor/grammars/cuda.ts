import type { Grammar } from './grammar';

/** The runtime or the driver itself says "out of memory"; no sizes, and the stack trace may point elsewhere. */
const shared = { kind: 'oom', role: 'cause', story: 'gpu-oom' } as const;

export const cudaGrammars: readonly Grammar[] = [
  {
    ...shared,
    format: 'cudaMallocAsync',
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
    anchors: ['allocation on device'],
    start: 'OutOfMemoryError.{0,60}?Allocation on device {gpuIndex:index}',
  },
  {
    ...shared,
    by: 'line',
    format: 'cudaMallocAsync-truncated',
    anchors: ['allocation on device'],
    start: '(?:^|(?:Exception|[Ee]rror|!!!).{0,40}\\s)Allocation on device ?\\S?\\s*$',
  },
  {
    ...shared,
    format: 'CUDA-error-nonumbers',
    anchors: ['error 2: out of memory'],
    start: 'cudaGetDeviceCount\\(\\).{0,200}?Error 2: out of memory',
  },
  {
    ...shared,
    format: 'P0-THCudaCheck',
    anchors: ['thcudacheck fail', 'cuda runtime error'],
    start:
      'THCudaCheck FAIL file={sourceFile:path} line={sourceLine:integer} error={cudaError:integer}: out of memory',
    fields: ['cuda runtime error \\(2\\): out of memory at {raisedIn:path}'],
  },
  {
    ...shared,
    format: 'P0-THCudaCheck',
    anchors: ['cuda runtime error'],
    start: 'cuda runtime error \\({cudaError:integer}\\): out of memory',
    fields: ['at {sourceFile:path}:{sourceLine:integer}'],
  },
  {
    ...shared,
    // vLLM's pool, which it gives away for sleep and asks back for when woken.
    format: 'CUDA-error-vllm-pool',
    anchors: ['cumem_allocator.cpp'],
    start: 'CUDA error: out of memory at .{0,120}?cumem_allocator\\.cpp',
  },
  {
    ...shared,
    format: [
      { name: 'CUDA-error-nonumbers-HIP', when: /HIPerror|hipError/ },
      { name: 'CUDA-error-nonumbers', when: /(?:)/ },
    ],
    anchors: ['error: out of memory'],
    statement: /(?:CUDA|HIP)(?: driver| runtime)? error: out of memory/i,
    start: '(?:CUDA|HIP)(?: driver| runtime)? error: out of memory',
  },
  {
    ...shared,
    format: 'CUDA-error-name',
    anchors: ['cudaerrormemoryallocation', 'hiperroroutofmemory', 'cuda_error_out_of_memory'],
    statement: /cudaErrorMemoryAllocation|hipErrorOutOfMemory|CUDA_ERROR_OUT_OF_MEMORY/,
    start: '(?:cudaErrorMemoryAllocation|hipErrorOutOfMemory|CUDA_ERROR_OUT_OF_MEMORY)',
  },
  {
    ...shared,
    format: 'pin-memory-thread',
    anchors: ['in pin memory thread'],
    start: 'Caught \\w{1,40}?(?:Error|Exception) in pin memory thread for device {gpuIndex:index}',
  },
  {
    ...shared,
    format: 'XGBoost',
    anchors: ['memory allocation error on worker'],
    start: 'Memory allocation error on worker {rank:integer}: std::bad_alloc',
    fields: ['Free memory: {freeBytes:integer}', 'Requested memory: {triedBytes:integer}'],
  },
  {
    ...shared,
    format: 'CUDA-error-nonumbers',
    anchors: [
      'parallel_for failed',
      ' results in cuda_error_out',
      'cuda error(2)',
      'cuda failure 2: ',
      'driver error: 2 (out',
      'cuda failed with error out',
    ],
    start:
      '(?:parallel_for failed: (?:cudaErrorMemoryAllocation: )?out of memory|Call to cu\\w{1,40} results in CUDA_ERROR_OUT_OF_MEMORY|CUDA error ?\\(2\\),? out of memory|CUDA failure 2: out of memory|CUDA driver error: 2 \\(out of memory\\)|CUDA failed with error out of memory)',
  },
  {
    ...shared,
    format: 'RMM',
    anchors: ['std::bad_alloc: ', 'rmm_error_out_of_memory', 'maximum pool size exceeded'],
    start:
      '(?:std::bad_alloc: (?:out_of_memory: )?(?:CUDA error|RMM failure|cudaErrorMemoryAllocation)|RMM_ERROR_OUT_OF_MEMORY|Maximum pool size exceeded)',
  },
  {
    ...shared,
    format: 'CuPy',
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
    anchors: ['cudamalloc', 'cudahostalloc', 'cumemalloc', 'cumemcreate'],
    start:
      '(?:cudaMalloc|cudaHostAlloc|cudaMallocHost|cuMemAlloc|cuMemCreate)[^.;]{0,40}? (?:out of memory|failed: 2\\b)',
  },
];
