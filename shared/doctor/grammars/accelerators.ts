import type { Grammar } from './grammar';

/** Runtimes of accelerators other than CUDA's: Intel's SYCL, Huawei's CANN, AMD's HIP, Google's TPU. */
const shared = { kind: 'oom', role: 'cause', story: 'gpu-oom' } as const;

export const acceleratorGrammars = [
  {
    ...shared,
    format: 'SYCL-device-memory',
    framework: null,
    vendor: 'intel',
    examples: [
      'RuntimeError: Allocation is out of device memory on current platform.',
      'Native API failed. Native API returns: 39 (UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY)',
    ],
    anchors: ['out of device memory on current', 'out of host memory on current', '_error_out_of_device'],
    start:
      'Allocation is out of device memory on current platform|Native API returns: ?-?\\d{1,4} \\((?:UR_RESULT|PI|ZE_RESULT)_ERROR_OUT_OF_DEVICE_MEMORY',
  },
  {
    ...shared,
    // CANN's runtime: https://www.hiascend.com/document, error codes 207001 and EL0004.
    format: 'CANN-rtMalloc',
    framework: null,
    vendor: 'huawei',
    examples: [
      'Call rtMalloc fail, purpose: page caching, type = 2, size:3221291008, device_id:0[FUNC:Alloc][FILE:device_allocator.cc][LINE:72]',
    ],
    anchors: ['rtmalloc fail'],
    start: '(?:Call )?(?:aclrt|rt)Malloc(?:\\w{0,20})? fail(?:ed)?',
    gap: 120,
    fields: ['size ?[:=] ?{triedBytes:integer}', 'device_?id ?[:=] ?{gpuIndex:index}'],
  },
  {
    ...shared,
    format: 'CANN-alloc',
    framework: null,
    vendor: 'huawei',
    examples: [
      'EL0004: [PID: 4242] Failed to allocate memory.',
      'halMemAlloc failed, drvRetCode=6, device_id=0, size=2147483648(bytes): runtime result = 207001',
    ],
    anchors: ['el0004: ', '= 207001', 'is 207001', '=207001,', 'halmemalloc failed'],
    start:
      'EL0004:? ?.{0,80}?(?:Failed to allocate memory|memory)|(?:runtime result ?= ?|error code is |ret(?:code)?[:=] ?)207001|halMemAlloc failed',
    fields: ['size ?[:=] ?{triedBytes:integer}', 'device_?id ?[:=] ?{gpuIndex:index}'],
  },
  {
    ...shared,
    // hip_runtime_api.h and rocBLAS's status codes.
    format: 'HIP-malloc',
    framework: null,
    vendor: 'amd',
    examples: [
      'hipMalloc failed: out of memory',
      'rocBLAS error: rocblas_status_memory_error while creating the handle',
      '[drm:amdgpu_cs_ioctl [amdgpu]] *ERROR* Not enough memory for command submission!',
    ],
    anchors: ['hipmalloc', 'rocblas_status_memory_error', 'hiphostmalloc', 'memory for command submission'],
    start:
      'hip(?:Host)?Malloc(?:Async|Managed|Pitch)?[^.;]{0,40}? (?:out of memory|failed: 2\\b)|rocblas_status_memory_error|Not enough memory for command submission',
  },
  {
    ...shared,
    // XLA's TPU allocator. https://docs.jax.dev/en/latest/gpu_memory_allocation.html
    format: 'XLA-reserve',
    framework: null,
    vendor: 'google',
    examples: [
      'RESOURCE_EXHAUSTED: Attempting to reserve 6.48G at the bottom of memory. That was not possible. There are 6.78G free, 0B reserved, and 3.33G reservable.',
      'RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to allocate 1.25G. That was not possible. There are 1.10G free.; (0x0x0_HBM0)',
    ],
    anchors: ['that was not possible. there are'],
    start: 'Attempting to (?:reserve|allocate) {triedBytes:size}',
    fields: ['There are {freeBytes:size} free', 'and {largestBytes:size} reservable'],
  },
  {
    ...shared,
    format: 'XLA-compile',
    framework: null,
    vendor: 'google',
    examples: [
      'RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of memory in memory space hbm. Used 21.90G of 7.48G hbm. Exceeded hbm capacity by 14.42G.',
    ],
    anchors: ['ran out of memory in memory space'],
    start: 'Ran out of memory in memory space (?!vmem|smem|cmem|sflag)\\w{1,12}',
    fields: [
      'Used {neededBytes:size} of {capacityBytes:size} (?:hbm|vmem|smem|\\w{1,8})',
      'Exceeded \\w{1,8} capacity by {overBytes:size}',
    ],
  },
] as const satisfies readonly Grammar[];
