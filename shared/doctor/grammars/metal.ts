import type { Grammar } from './grammar';

/** Apple's Metal, and MLX, PyTorch and llama.cpp on it. */
const shared = { kind: 'oom', role: 'cause', story: 'gpu-oom' } as const;

export const metalGrammars = [
  {
    ...shared,
    // https://developer.apple.com/documentation/metal/mtlcommandbuffererror/code/outofmemory
    format: 'Metal-insufficient-memory',
    framework: null,
    vendor: 'apple',
    examples: [
      '[METAL] Command buffer execution failed: Insufficient Memory (00000008:kIOGPUCommandBufferCallbackErrorOutOfMemory)',
      'ggml_metal_graph_compute: command buffer 1 failed with status 5\nerror: Insufficient Memory (00000008:kIOGPUCommandBufferCallbackErrorOutOfMemory)',
    ],
    anchors: ['iogpucommandbuffercallbackerroroutofmemory', 'insufficient memory (0'],
    start: 'Insufficient Memory ?\\(0{1,8}8:|kIOGPUCommandBufferCallbackErrorOutOfMemory',
  },
  {
    ...shared,
    // mlx/backend/metal/allocator.cpp: one buffer may not pass the device's largest.
    format: 'MLX-buffer',
    framework: 'mlx',
    vendor: 'apple',
    examples: [
      'RuntimeError: [metal::malloc] Attempting to allocate 24159191040 bytes which is greater than the maximum allowed buffer size of 22906503168 bytes.',
    ],
    anchors: ['greater than the maximum allowed buffer size'],
    start:
      'Attempting to allocate {triedBytes:integer} bytes which is greater than the maximum allowed buffer size of {allowedBytes:integer} bytes',
  },
  {
    ...shared,
    format: 'MLX-malloc',
    framework: 'mlx',
    vendor: 'apple',
    examples: ['RuntimeError: [malloc_or_wait] Unable to allocate 8589934592 bytes.'],
    anchors: ['] unable to allocate', '[metal::malloc]', 'mtldevice: failed'],
    start:
      '\\[(?:malloc_or_wait|malloc|metal::malloc)\\] (?:Unable to allocate {triedBytes:integer} bytes|Resource limit)',
  },
  {
    ...shared,
    // llama.cpp's Metal back end, ggml-metal.m.
    format: 'ggml-metal',
    framework: 'llama.cpp',
    vendor: 'apple',
    examples: [
      'ggml_metal_buffer_init: error: failed to allocate buffer, size = 12288.00 MiB',
      'ggml_backend_metal_buffer_type_alloc_buffer: error: failed to allocate buffer, size =  8192.00 MiB',
    ],
    anchors: ['failed to allocate buffer, size', 'failed to allocate buffer of size'],
    start: 'error: failed to allocate buffer, size ?= ?{triedBytes:size}',
  },
  {
    ...shared,
    // Metal has a largest buffer of its own, well below the memory of the machine.
    format: 'MPS-buffer',
    framework: 'pytorch',
    vendor: 'apple',
    examples: ['RuntimeError: Invalid buffer size: 104.25 GB'],
    anchors: ['invalid buffer size'],
    start: 'Invalid buffer size: {triedBytes:size}',
  },
  {
    ...shared,
    format: 'MPS-buffer',
    framework: 'pytorch',
    vendor: 'apple',
    examples: ['RuntimeError: Failed to allocate private MTLBuffer for size 8589934592'],
    anchors: ['mtlbuffer for size'],
    start: 'Failed to allocate (?:private |shared )?MTLBuffer for size {triedBytes:integer}',
  },
  {
    ...shared,
    // Metal's own checks abort the process, so there is no traceback: an array or a buffer larger than one may be.
    format: 'Metal-size-limit',
    framework: null,
    vendor: 'apple',
    examples: [
      "MPSNDArray.mm:788: failed assertion `[MPSNDArray initWithDevice:descriptor:] Error: total bytes of NDArray > 2**32'",
      "failed assertion `[MPSTemporaryNDArray initWithDevice:descriptor:isTextureBacked:] Error: product of dimension sizes > 2**31'",
      '-[MTLDebugDevice newBufferWithLength:options:]:670: failed assertion `Buffer Validation\nnewBufferWithLength:length(0x400000000) must not exceed 9534832640 bytes (device maximum).',
    ],
    anchors: ['total bytes of ndarray', 'product of dimension sizes', 'newbufferwithlength'],
    start:
      '(?:total bytes of NDArray > 2|product of dimension sizes > 2|newBufferWithLength[^;]{0,120}? must not exceed {limitBytes:integer} ?(?:bytes|MB)?)',
  },
] as const satisfies readonly Grammar[];
