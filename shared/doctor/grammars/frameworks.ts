import type { Grammar } from './grammar';

/** What other frameworks and back ends print when a card is full. */
const shared = { kind: 'oom', role: 'cause', story: 'gpu-oom' } as const;

export const frameworkGrammars = [
  {
    ...shared,
    format: [
      { name: 'MPS-GiB', when: /allocated:[\d.]+[KMGT]iB/, vendor: 'apple' },
      { name: 'MPS', when: /(?:)/, vendor: 'apple' },
    ],
    framework: 'pytorch',
    vendor: null,
    examples: [
      'MPS backend out of memory (MPS allocated: 1024.00 MB). Tried to allocate 256 bytes on shared pool.',
    ],
    anchors: ['mps backend out of memory', 'mps allocated:'],
    start: 'MPS backend out of memory',
    fields: [
      'MPS allocated: {allocatedBytes:size}',
      'other allocations: {otherAllocationsBytes:size}',
      'max allowed: {allowedBytes:size}',
      'Tried to allocate {triedBytes:size}',
    ],
  },
  {
    ...shared,
    format: 'XPU-UR',
    framework: null,
    vendor: 'intel',
    examples: ['RuntimeError: UR backend failed. UR backend returns:40 (UR_RESULT_ERROR_OUT_OF_RESOURCES)'],
    anchors: ['_error_out_of_'],
    start: '(?:UR_RESULT|PI|ZE_RESULT)_ERROR_OUT_OF_(?:RESOURCES|DEVICE_MEMORY|HOST_MEMORY)',
  },
  {
    ...shared,
    format: 'HSA',
    framework: null,
    vendor: 'amd',
    examples: ['Memory critical error by agent node-0 (Agent handle: 0x5) HSA_STATUS_ERROR_OUT_OF_RESOURCES'],
    anchors: ['hsa_status_error_out_of_resources'],
    start: 'HSA_STATUS_ERROR_OUT_OF_RESOURCES',
  },
  {
    ...shared,
    format: 'TF-tensor',
    framework: 'tensorflow',
    vendor: null,
    examples: [
      'ResourceExhaustedError (see above for traceback): OOM when allocating tensor with shape[1,5095,3729,3]',
    ],
    anchors: ['oom when allocating tensor'],
    start: 'OOM when allocating tensor with shape',
    gap: 60,
    fields: [
      '\\[(?:\\d{1,12}(?:,\\d{1,12}){0,8})\\] and type',
      'device:GPU:{gpuIndex:index} by',
      'device:CPU:{hostDevice:integer}',
    ],
  },
  {
    ...shared,
    format: 'TF-allocator',
    framework: 'tensorflow',
    vendor: null,
    examples: [
      'W tensorflow/core/common_runtime/bfc_allocator.cc:491] Allocator (GPU_1_bfc) ran out of memory trying to allocate 12.20GiB (rounded to 13099650048)requested by op',
    ],
    anchors: ['ran out of memory trying to allocate'],
    start:
      'Allocator (?:\\((?:GPU_{gpuIndex:index}_bfc|\\w{1,30})\\) )?ran out of memory trying to allocate {triedBytes:size}(?!.{0,160}not a failure)',
  },
  {
    ...shared,
    format: 'TF-driver',
    framework: 'tensorflow',
    vendor: null,
    examples: [
      'E tensorflow/stream_executor/cuda/cuda_driver.cc:828] failed to allocate 32.00M (33554432 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY: out of memory',
    ],
    anchors: ['from device: cuda_error_out_of_memory', 'from device: '],
    start: 'failed to allocate (?:\\d[\\d.]*[KMGT]?i?B?)? ?\\({triedBytes:integer} bytes\\) from device',
  },
  {
    ...shared,
    format: 'TF-tensor',
    framework: 'tensorflow',
    vendor: null,
    examples: ['ResourceExhaustedError: Graph execution error:\nfailed to allocate memory'],
    anchors: ['failed to allocate memory', 'unable to allocate output tensor'],
    start: 'ResourceExhaustedError.{0,120}?(?:failed to allocate memory|unable to allocate output tensor)',
  },
  {
    ...shared,
    format: 'MindSpore',
    framework: 'mindspore',
    vendor: null,
    examples: [
      "RuntimeError: Device(id:0) memory isn't enough and alloc failed, kernel name: Default/Conv2D-op12, alloc size: 411041792B.",
    ],
    anchors: ["memory isn't enough and alloc failed"],
    start: "Device\\(id: ?{gpuIndex:index}\\) memory isn't enough and alloc failed",
    gap: 240,
    fields: ['alloc size: ?{triedBytes:integer}B'],
  },
  {
    ...shared,
    format: 'TF-pinned-host',
    framework: 'tensorflow',
    vendor: null,
    examples: [
      'W tensorflow/core/common_runtime/gpu/gpu_host_allocator: could not allocate pinned host memory of size: 2304',
    ],
    anchors: ['could not allocate pinned host memory', ' bytes on host: cuda_error'],
    start:
      '(?:could not allocate pinned host memory of size: {triedBytes:integer}|failed to alloc {hostBytes:integer} bytes on host)',
  },
  {
    ...shared,
    format: [
      { name: 'JAX-BufferAssignment', when: /BufferAssignment/ },
      { name: 'JAX', when: /RESOURCE_EXHAUSTED/ },
      { name: 'JAX-legacy', when: /(?:)/ },
    ],
    framework: 'jax',
    vendor: null,
    examples: [
      'jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 7406166528 bytes.',
    ],
    anchors: ['out of memory while trying to allocate', 'out of memory allocating'],
    start:
      'resource_? ?exhausted: Out of memory (?:while trying to allocate|allocating) {triedBytes:integer} bytes',
    gap: 420,
    fields: [
      'total allocation: {totalNeededBytes:size}',
      'total fragmentation: {fragmentationBytes:size}',
      'on device ordinal {gpuIndex:index}',
    ],
  },
  {
    ...shared,
    format: 'JAX',
    framework: 'jax',
    vendor: null,
    examples: [
      'E xla/pjrt/client.cc:21] Execution of replica 0 failed: INTERNAL: Failed to allocate 50331648 bytes for new constant',
    ],
    anchors: [' bytes for new constant'],
    start: 'Failed to allocate {triedBytes:integer} bytes for new constant',
  },
  {
    ...shared,
    format: 'JAX',
    framework: 'jax',
    vendor: null,
    examples: [
      'XlaRuntimeError: INTERNAL: Failed to allocate request for 2.99GiB (3206348800B) on device ordinal 0',
    ],
    anchors: ['failed to allocate request for'],
    start:
      'Failed to allocate request for [\\d.]{1,12}[KMGT]?i?B ?\\({triedBytes:integer}B\\) on device ordinal {gpuIndex:index}',
  },
  {
    ...shared,
    format: 'Paddle',
    framework: 'paddle',
    vendor: null,
    examples: [
      'Out of memory error on GPU 0. Cannot allocate 6.933594GB memory on GPU 0, available memory is only 726.750000MB.',
    ],
    anchors: ['out of memory error on gpu', 'cannot allocate'],
    start: 'Cannot allocate {triedBytes:size} memory on GPU {gpuIndex:index}',
    fields: ['{allocatedBytes:size} memory has been allocated', 'available memory is only {freeBytes:size}'],
  },
  {
    ...shared,
    format: 'Paddle',
    framework: 'paddle',
    vendor: null,
    examples: [
      'Cannot malloc 79.999 MB GPU memory. Please shrink FLAGS_fraction_of_gpu_memory_to_use to a lower value.',
      'ResourceExhaustedError: Cannot allocate 1.200000GB in GPU 0 because of not enough memory. CUDA error 2',
    ],
    anchors: ['cannot malloc', 'because of not enough memory'],
    start:
      'Cannot (?:malloc|allocate) {triedBytes:size} (?:GPU memory|in GPU {gpuIndex:index} because of not enough memory)',
  },
  {
    ...shared,
    format: 'Paddle-0.x-bytes',
    framework: 'paddle',
    vendor: null,
    examples: [
      'paddle.fluid.core.EnforceNotMet: enforce allocating <= available failed, 10513462067 > 1369702144',
    ],
    anchors: ['enforce allocating <= available failed'],
    start: 'enforce allocating <= available failed, {triedBytes:integer} > {freeBytes:integer}',
  },
  {
    ...shared,
    format: 'ggml',
    framework: 'llama.cpp',
    vendor: null,
    examples: [
      'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 9866.00 MiB on device 1: cudaMalloc failed: out of memory',
    ],
    anchors: ['cudamalloc failed', 'unable to allocate', 'failed to allocate'],
    start: 'allocating {triedBytes:size} on device {gpuIndex:index}: cudaMalloc failed',
  },
  {
    ...shared,
    format: 'ggml',
    framework: 'llama.cpp',
    vendor: null,
    examples: ['ggml_gallocr_reserve_n: failed to allocate CUDA1 buffer of size 10345253120'],
    anchors: ['unable to allocate', 'failed to allocate'],
    start:
      '(?:unable|failed) to allocate (?:backend|(?:CUDA|ROCm|Vulkan|compute|Metal)\\d{0,2}) buffer(?: of size {triedBytes:integer})?',
  },
  {
    ...shared,
    format: 'ggml-pinned',
    framework: 'llama.cpp',
    vendor: null,
    examples: ['ggml_cuda_host_malloc: failed to allocate 1900.00 MiB of pinned memory: out of memory'],
    anchors: [' of pinned memory'],
    start: 'failed to allocate {triedBytes:size} of pinned memory',
  },
  {
    ...shared,
    format: 'ggml',
    framework: 'llama.cpp',
    vendor: 'intel',
    examples: ["ggml_sycl_device_malloc: can't allocate 4294967296 Bytes of memory on device"],
    anchors: ['bytes of memory on device'],
    start: "can't allocate {triedBytes:integer} Bytes of memory on device",
  },
  {
    ...shared,
    // ollama found no split of the layers that the number asked for allows: llm/server.go.
    format: 'ollama-layout',
    framework: 'ollama',
    vendor: null,
    examples: ['Error: 500 Internal Server Error: memory layout cannot be allocated with num_gpu = 99'],
    anchors: ['memory layout cannot be allocated'],
    start: 'memory layout cannot be allocated',
  },
  {
    ...shared,
    // https://github.com/tinygrad/tinygrad/blob/master/tinygrad/device.py
    format: 'tinygrad',
    framework: 'tinygrad',
    vendor: null,
    examples: ['MemoryError: Metal OOM while allocating size=8589934592'],
    anchors: ['oom while allocating'],
    start: 'MemoryError: \\w{1,12} OOM while allocating (?:size|nbytes)= ?{triedBytes:integer}',
  },
  {
    ...shared,
    format: 'tinygrad',
    framework: 'tinygrad',
    vendor: null,
    examples: ['MemoryError: Allocation of 2.00 GB failed on CUDA. Used: 22.10 GB'],
    anchors: ['memoryerror: allocation of'],
    start: 'MemoryError: Allocation of {triedBytes:size} failed on \\w{1,12}',
    fields: ['Used: {allocatedBytes:size}'],
  },
  {
    ...shared,
    // https://github.com/JuliaGPU/CUDA.jl/blob/master/src/memory.jl
    format: 'CUDA.jl',
    framework: 'cuda.jl',
    vendor: 'nvidia',
    examples: [
      'ERROR: LoadError: Out of GPU memory trying to allocate 11.921 GiB\nEffective GPU memory usage: 99.85% (15.758 GiB/15.782 GiB)\nMemory pool usage: 13.411 GiB (15.281 GiB reserved)',
    ],
    anchors: ['out of gpu memory trying to'],
    start: 'Out of GPU memory trying to allocate {triedBytes:size}',
    fields: [
      '\\({cardUsedBytes:size}/{capacityBytes:size}\\)',
      'Memory pool usage: {allocatedBytes:size}',
      '\\({reservedBytes:size} reserved\\)',
    ],
  },
  {
    ...shared,
    format: 'Vulkan-OpenCL',
    framework: null,
    vendor: null,
    examples: ['ggml_vulkan: vk::Device::allocateMemory: ErrorOutOfDeviceMemory'],
    anchors: [
      'erroroutofdevicememory',
      'device memory allocation of size',
      'mem_object_allocation_failure',
      'cl_out_of_',
    ],
    start:
      '(?:Device memory allocation of size {triedBytes:integer} failed|ErrorOutOfDeviceMemory|MEM_OBJECT_ALLOCATION_FAILURE|CL_OUT_OF_(?:RESOURCES|HOST_MEMORY))',
  },
  {
    ...shared,
    format: 'ONNX-Runtime',
    framework: 'onnx-runtime',
    vendor: null,
    examples: [
      "[E:onnxruntime:, sequential_executor.cc:339 onnxruntime::SequentialExecutor::Execute] Non-zero status code returned while running Conv node. Name:'347_nchwc' Status Message: D:\\a\\_work\\1\\s\\onnxruntime\\core\\framework\\bfc_arena.cc:330 onnxruntime::BFCArena::AllocateRawInternal Failed to allocate memory for requested buffer of size 285081600",
    ],
    anchors: ['memory for requested buffer of size'],
    start: 'Failed to allocate memory for requested buffer of size {triedBytes:integer}',
  },
  {
    ...shared,
    format: 'TensorRT',
    framework: 'tensorrt',
    vendor: null,
    examples: [
      '[11/22/2024-13:40:47] [E] Error[1]: [defaultAllocator.cpp::allocate::31] Error Code 1: Cuda Runtime (out of memory)',
    ],
    anchors: [
      'requested amount of gpu memory',
      'outofmemory (requested size',
      'cuda runtime (out of memory)',
      'allocate: 2 (out of memory)',
    ],
    start:
      '(?:Requested amount of GPU memory \\({triedBytes:integer} bytes\\) could not be allocated|OutOfMemory \\(Requested size was {triedBytesToo:integer} bytes|Cuda Runtime \\(out of memory\\)|Cuda Error in [\\w:]{1,80}?allocate: 2 \\(out of memory\\))',
    fields: [
      'Requested amount of GPU memory \\({triedBytes:integer} bytes',
      'error allocating {triedBytes:integer}-byte buffer',
    ],
  },
  {
    ...shared,
    format: 'bnb-C',
    framework: 'bitsandbytes',
    vendor: null,
    examples: ['Error out of memory at line 380 in file /src/csrc/pythonInterface.cpp'],
    anchors: ['error out of memory at line'],
    start: 'Error out of memory at line {sourceLine:integer} in file {sourceFile:path}',
  },
] as const satisfies readonly Grammar[];
