import type { Grammar } from './grammar';

/** What other frameworks and back ends print when a card is full. */
const shared = { kind: 'oom', role: 'cause', story: 'gpu-oom' } as const;

export const frameworkGrammars: readonly Grammar[] = [
  {
    ...shared,
    format: [
      { name: 'MPS-GiB', when: /allocated:[\d.]+[KMGT]iB/ },
      { name: 'MPS', when: /(?:)/ },
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
    anchors: ['_error_out_of_'],
    start: '(?:UR_RESULT|PI|ZE_RESULT)_ERROR_OUT_OF_(?:RESOURCES|DEVICE_MEMORY|HOST_MEMORY)',
  },
  {
    ...shared,
    format: 'HSA',
    anchors: ['hsa_status_error_out_of_resources'],
    start: 'HSA_STATUS_ERROR_OUT_OF_RESOURCES',
  },
  {
    ...shared,
    format: 'TF-tensor',
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
    anchors: ['ran out of memory trying to allocate'],
    start:
      'Allocator \\((?:GPU_{gpuIndex:index}_bfc|\\w{1,30})\\) ran out of memory trying to allocate {triedBytes:size}(?!.{0,160}not a failure)',
  },
  {
    ...shared,
    format: 'TF-driver',
    anchors: ['from device: cuda_error_out_of_memory', 'from device: '],
    start: 'failed to allocate (?:\\d[\\d.]*[KMGT]?i?B?)? ?\\({triedBytes:integer} bytes\\) from device',
  },
  {
    ...shared,
    format: 'TF-tensor',
    anchors: ['failed to allocate memory'],
    start: 'ResourceExhaustedError.{0,120}?failed to allocate memory',
  },
  {
    ...shared,
    format: 'MindSpore',
    anchors: ["memory isn't enough and alloc failed"],
    start: "Device\\(id: ?{gpuIndex:index}\\) memory isn't enough and alloc failed",
    gap: 240,
    fields: ['alloc size: ?{triedBytes:integer}B'],
  },
  {
    ...shared,
    format: 'TF-pinned-host',
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
    anchors: [' bytes for new constant'],
    start: 'Failed to allocate {triedBytes:integer} bytes for new constant',
  },
  {
    ...shared,
    format: 'JAX',
    anchors: ['failed to allocate request for'],
    start:
      'Failed to allocate request for [\\d.]{1,12}[KMGT]?i?B ?\\({triedBytes:integer}B\\) on device ordinal {gpuIndex:index}',
  },
  {
    ...shared,
    format: 'Paddle',
    anchors: ['out of memory error on gpu', 'cannot allocate'],
    start: 'Cannot allocate {triedBytes:size} memory on GPU {gpuIndex:index}',
    fields: ['{allocatedBytes:size} memory has been allocated', 'available memory is only {freeBytes:size}'],
  },
  {
    ...shared,
    format: 'Paddle-0.x-bytes',
    anchors: ['enforce allocating <= available failed'],
    start: 'enforce allocating <= available failed, {triedBytes:integer} > {freeBytes:integer}',
  },
  {
    ...shared,
    format: 'ggml',
    anchors: ['cudamalloc failed', 'unable to allocate', 'failed to allocate'],
    start: 'allocating {triedBytes:size} on device {gpuIndex:index}: cudaMalloc failed',
  },
  {
    ...shared,
    format: 'ggml',
    anchors: ['unable to allocate', 'failed to allocate'],
    start:
      '(?:unable|failed) to allocate (?:backend|(?:CUDA|ROCm|Vulkan|compute|Metal)\\d{0,2}) buffer(?: of size {triedBytes:integer})?',
  },
  {
    ...shared,
    format: 'ggml-pinned',
    anchors: [' of pinned memory'],
    start: 'failed to allocate {triedBytes:size} of pinned memory',
  },
  {
    ...shared,
    // Metal has a largest buffer of its own, well below the memory of the machine.
    format: 'MPS-buffer',
    anchors: ['invalid buffer size'],
    start: 'Invalid buffer size: {triedBytes:size}',
  },
  {
    ...shared,
    format: 'Vulkan-OpenCL',
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
    anchors: ['memory for requested buffer of size'],
    start: 'Failed to allocate memory for requested buffer of size {triedBytes:integer}',
  },
  {
    ...shared,
    format: 'TensorRT',
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
    anchors: ['error out of memory at line'],
    start: 'Error out of memory at line {sourceLine:integer} in file {sourceFile:path}',
  },
];
