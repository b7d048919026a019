import { describe, expect, it } from 'vitest';
import { encodeUtf8 } from '../../../../shared/doctor/lines/utf8';
import { grammars } from '../../../../shared/doctor/grammars';
import { diagnose } from '../../../../shared/doctor/reader';
import { noFacts, type Facts, type Failure } from '../../../../shared/doctor/types';
import { GiB, KiB, MiB } from '../../../../shared/units';

function only(text: string): Failure {
  const { failures } = diagnose(text);
  expect(failures).toHaveLength(1);
  const [failure] = failures;
  if (failure === undefined) throw new Error('no failure');
  return failure;
}

const rounded = (value: number): number => Math.round(value);

/** Messages by grammar, each with all that can be read in it. */
const messages: readonly { text: string; format: string; facts: Partial<Facts> }[] = [
  {
    format: 'P0-THCudaCheck',
    text: 'THCudaCheck FAIL file=/pytorch/aten/src/THC/generic/THCStorage.cu line=58 error=2 : out of memory',
    facts: {},
  },
  {
    format: 'P0-THCudaCheck',
    text: 'RuntimeError: cuda runtime error (2) : out of memory at /pytorch/aten/src/THC/generic/THCStorage.cu:58',
    facts: {},
  },
  { format: 'CUDA-error-nonumbers', text: 'RuntimeError: CUDA error: out of memory', facts: {} },
  {
    format: 'P2-cached',
    text: 'RuntimeError: CUDA out of memory. Tried to allocate 1.12 MiB (GPU 3; 22.37 GiB total capacity; 15.87 GiB already allocated; 3.56 MiB free; 787.74 MiB cached)',
    facts: {
      gpuIndex: 3,
      triedBytes: rounded(1.12 * MiB),
      capacityBytes: rounded(22.37 * GiB),
      allocatedBytes: rounded(15.87 * GiB),
      freeBytes: rounded(3.56 * MiB),
      unallocatedBytes: rounded(787.74 * MiB),
      reservedBytes: rounded(15.87 * GiB) + rounded(787.74 * MiB),
    },
  },
  {
    format: 'P3-reserved',
    text: 'RuntimeError: CUDA out of memory. Tried to allocate 512.00 KiB (GPU 0; 15.90 GiB total capacity; 14.37 GiB already allocated; 1.88 MiB free; 15.03 GiB reserved in total by PyTorch)',
    facts: {
      gpuIndex: 0,
      triedBytes: 512 * KiB,
      capacityBytes: rounded(15.9 * GiB),
      allocatedBytes: rounded(14.37 * GiB),
      freeBytes: rounded(1.88 * MiB),
      reservedBytes: rounded(15.03 * GiB),
      unallocatedBytes: rounded(15.03 * GiB) - rounded(14.37 * GiB),
    },
  },
  {
    format: 'P4-typed-reserved',
    text: 'OutOfMemoryError: CUDA out of memory. Tried to allocate 10.73 GiB (GPU 0; 8.00 GiB total capacity; 17.20 GiB already allocated; 0 bytes free; 19.15 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation.',
    facts: {
      gpuIndex: 0,
      triedBytes: rounded(10.73 * GiB),
      capacityBytes: 8 * GiB,
      allocatedBytes: rounded(17.2 * GiB),
      freeBytes: 0,
      reservedBytes: rounded(19.15 * GiB),
      unallocatedBytes: rounded(19.15 * GiB) - rounded(17.2 * GiB),
    },
  },
  {
    format: 'P5-typo',
    text: 'torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 128.00 GiB. GPU 0 has a total capacty of 23.65 GiB of which 7.95 GiB is free. Process 1957120 has 7.10 GiB memory in use. Including non-PyTorch memory, this process has 8.58 GiB memory in use. Of the allocated memory 8.13 GiB is allocated by PyTorch, and 8.94 MiB is reserved by PyTorch but unallocated.',
    facts: {
      gpuIndex: 0,
      triedBytes: 128 * GiB,
      capacityBytes: rounded(23.65 * GiB),
      freeBytes: rounded(7.95 * GiB),
      processes: [{ pid: 1957120, bytes: rounded(7.1 * GiB) }],
      thisProcessBytes: rounded(8.58 * GiB),
      allocatedBytes: rounded(8.13 * GiB),
      unallocatedBytes: rounded(8.94 * MiB),
      reservedBytes: rounded(8.13 * GiB) + rounded(8.94 * MiB),
    },
  },
  {
    format: 'P6b-index-as-char',
    text: 'torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 336.00 MiB. GPU \u0005 has a total capacity of 79.15 GiB of which 141.25 MiB is free.',
    facts: {
      gpuIndex: 5,
      triedBytes: 336 * MiB,
      capacityBytes: rounded(79.15 * GiB),
      freeBytes: rounded(141.25 * MiB),
    },
  },
  {
    format: 'P7-expandable',
    text: 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 7.83 GiB. GPU 1 has a total capacity of 139.80 GiB of which 139.01 GiB is free. Including non-PyTorch memory, this process has 804.00 MiB memory in use. Process 851 has 518.00 MiB memory in use. Process 852 has 1.00 GiB memory in use. 8.00 GiB allowed; Of the allocated memory 282.50 MiB is allocated by PyTorch, with 17.00 MiB allocated in private pools (e.g., CUDA Graphs), and 1.50 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.',
    facts: {
      gpuIndex: 1,
      triedBytes: rounded(7.83 * GiB),
      capacityBytes: rounded(139.8 * GiB),
      freeBytes: rounded(139.01 * GiB),
      thisProcessBytes: 804 * MiB,
      processes: [
        { pid: 851, bytes: 518 * MiB },
        { pid: 852, bytes: GiB },
      ],
      allowedBytes: 8 * GiB,
      allocatedBytes: rounded(282.5 * MiB),
      privatePoolBytes: 17 * MiB,
      unallocatedBytes: rounded(1.5 * MiB),
      reservedBytes: rounded(282.5 * MiB) + rounded(1.5 * MiB),
    },
  },
  {
    format: 'P8-alloc-conf',
    text: 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1002.00 MiB. GPU 0 has a total capacity of 8.00 GiB of which 0 bytes is free. Of the allocated memory 6.98 GiB is allocated by PyTorch, and 129.48 MiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large try setting PYTORCH_ALLOC_CONF=expandable_segments:True to avoid fragmentation.',
    facts: {
      gpuIndex: 0,
      triedBytes: 1002 * MiB,
      capacityBytes: 8 * GiB,
      freeBytes: 0,
      allocatedBytes: rounded(6.98 * GiB),
      unallocatedBytes: rounded(129.48 * MiB),
      reservedBytes: rounded(6.98 * GiB) + rounded(129.48 * MiB),
    },
  },
  {
    format: 'P7-expandable-HIP',
    text: 'torch.OutOfMemoryError: HIP out of memory. Tried to allocate 124.00 MiB. GPU 0 has a total capacity of 19.94 GiB of which 554.47 MiB is free. Of the allocated memory 15.87 GiB is allocated by PyTorch, and 165.29 MiB is reserved by PyTorch but unallocated.',
    facts: {
      gpuIndex: 0,
      triedBytes: 124 * MiB,
      capacityBytes: rounded(19.94 * GiB),
      freeBytes: rounded(554.47 * MiB),
      allocatedBytes: rounded(15.87 * GiB),
      unallocatedBytes: rounded(165.29 * MiB),
      reservedBytes: rounded(15.87 * GiB) + rounded(165.29 * MiB),
    },
  },
  {
    format: 'XPU-IPEX',
    text: 'RuntimeError: XPU out of memory. Tried to allocate 1.00 GiB (GPU 0; 15.56 GiB total capacity; 990.00 MiB already allocated; 990.00 MiB reserved in total by PyTorch)',
    facts: {
      gpuIndex: 0,
      triedBytes: GiB,
      capacityBytes: rounded(15.56 * GiB),
      allocatedBytes: 990 * MiB,
      reservedBytes: 990 * MiB,
      unallocatedBytes: 0,
    },
  },
  {
    format: 'XPU-2.x',
    text: 'torch.OutOfMemoryError: XPU out of memory. Tried to allocate 8.00 GiB. GPU 0 has a total capacity of 15.11 GiB. Of the allocated memory 0 bytes is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated. Please use `empty_cache` to release all unoccupied cached memory.',
    facts: {
      gpuIndex: 0,
      triedBytes: 8 * GiB,
      capacityBytes: rounded(15.11 * GiB),
      allocatedBytes: 0,
      unallocatedBytes: 0,
      reservedBytes: 0,
    },
  },
  {
    format: 'NPU',
    text: 'RuntimeError: NPU out of memory. Tried to allocate 5.03 GiB (NPU 3; 60.96 GiB total capacity; 49.47 GiB already allocated; 49.47 GiB current active; 1.32 GiB free; 57.55 GiB reserved in total by PyTorch)',
    facts: {
      gpuIndex: 3,
      triedBytes: rounded(5.03 * GiB),
      capacityBytes: rounded(60.96 * GiB),
      allocatedBytes: rounded(49.47 * GiB),
      freeBytes: rounded(1.32 * GiB),
      reservedBytes: rounded(57.55 * GiB),
      unallocatedBytes: rounded(57.55 * GiB) - rounded(49.47 * GiB),
    },
  },
  {
    format: 'cudaMallocAsync',
    text: 'torch.cuda.OutOfMemoryError: Allocation on device 0 would exceed allowed memory. (out of memory)\nCurrently allocated     : 21.55 GiB\nRequested               : 952.00 MiB\nDevice limit            : 24.00 GiB\nFree (according to CUDA): 0 bytes\nPyTorch limit (set by user-supplied memory fraction)\n                        : 17179869184.00 GiB',
    facts: {
      gpuIndex: 0,
      allocatedBytes: rounded(21.55 * GiB),
      triedBytes: 952 * MiB,
      capacityBytes: 24 * GiB,
      freeBytes: 0,
      allowedBytes: null,
    },
  },
  {
    format: 'MPS',
    text: 'RuntimeError: MPS backend out of memory (MPS allocated: 5.56 GB, other allocations: 1.10 GB, max allowed: 6.80 GB). Tried to allocate 768.00 MB on private pool.',
    facts: {
      triedBytes: 768 * MiB,
      allocatedBytes: rounded(5.56 * GiB),
      allowedBytes: rounded(6.8 * GiB),
    },
  },
  {
    format: 'TF-tensor',
    text: 'ResourceExhaustedError: OOM when allocating tensor with shape[64,2016,9,9] and type float on /job:localhost/replica:0/task:0/device:GPU:2 by allocator GPU_2_bfc',
    facts: { gpuIndex: 2 },
  },
  {
    format: 'TF-driver',
    text: 'E tensorflow/stream_executor/cuda/cuda_driver.cc:828] failed to allocate 32.00M (33554432 bytes) from device: CUDA_ERROR_OUT_OF_MEMORY: out of memory',
    facts: { triedBytes: 33_554_432 },
  },
  {
    format: 'TF-allocator',
    text: 'W tensorflow/core/common_runtime/bfc_allocator.cc:491] Allocator (GPU_1_bfc) ran out of memory trying to allocate 12.20GiB (rounded to 13099650048)requested by op',
    facts: { gpuIndex: 1, triedBytes: rounded(12.2 * GiB) },
  },
  {
    format: 'JAX',
    text: 'jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory while trying to allocate 4770354232 bytes.',
    facts: { triedBytes: 4_770_354_232 },
  },
  {
    format: 'JAX',
    text: 'XlaRuntimeError: INTERNAL: Failed to allocate request for 2.99GiB (3206348800B) on device ordinal 0',
    facts: { triedBytes: 3_206_348_800, gpuIndex: 0 },
  },
  {
    format: 'Paddle',
    text: 'Out of memory error on GPU 0. Cannot allocate 56.000000MB memory on GPU 0, 7.782776GB memory has been allocated and available memory is only 12.750000MB.',
    facts: {
      gpuIndex: 0,
      triedBytes: 56 * MiB,
      allocatedBytes: rounded(7.782776 * GiB),
      freeBytes: rounded(12.75 * MiB),
    },
  },
  {
    format: 'Paddle-0.x-bytes',
    text: 'paddle.fluid.core.EnforceNotMet: enforce allocating <= available failed, 10513462067 > 1369702144',
    facts: { triedBytes: 10_513_462_067, freeBytes: 1_369_702_144 },
  },
  {
    format: 'ggml',
    text: 'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 9866.00 MiB on device 1: cudaMalloc failed: out of memory\nggml_gallocr_reserve_n: failed to allocate CUDA1 buffer of size 10345253120',
    facts: { gpuIndex: 1, triedBytes: 9866 * MiB },
  },
  {
    format: 'vllm-startup',
    text: 'ValueError: Free memory on device cuda:1 (19.77/22.05 GiB) on startup is less than desired GPU memory utilization (0.9, 19.84 GiB).',
    facts: { gpuIndex: 1, freeBytes: rounded(19.77 * GiB), capacityBytes: rounded(22.05 * GiB) },
  },
  {
    format: 'CuPy',
    text: 'cupy.cuda.memory.OutOfMemoryError: Out of memory allocating 1,234,567,680 bytes (allocated so far: 5,120 bytes, limit set to: 2,147,483,648 bytes).',
    facts: { triedBytes: 1_234_567_680, allocatedBytes: 5_120, allowedBytes: 2_147_483_648 },
  },
  {
    format: 'CPUAllocator',
    text: "RuntimeError: [enforce fail at alloc_cpu.cpp:117] err == 0. DefaultCPUAllocator: can't allocate memory: you tried to allocate 3221225472 bytes. Error code 12 (Cannot allocate memory)",
    facts: { triedBytes: 3 * GiB },
  },
  {
    format: 'numpy',
    text: 'numpy.core._exceptions._ArrayMemoryError: Unable to allocate 74.5 GiB for an array with shape (100000, 100000) and data type float64',
    facts: { triedBytes: rounded(74.5 * GiB) },
  },
  {
    format: 'nccl-calloc',
    text: "node03:3063028:3066152 [3] include/alloc.h:178 NCCL WARN Cuda failure 'out of memory'\nnode03:3063028:3066152 [3] include/alloc.h:185 NCCL WARN Failed to CUDA calloc 6291456 bytes",
    facts: { gpuIndex: 3, triedBytes: 6_291_456 },
  },
];

describe('grammars', () => {
  it.each(messages)('$format: reads $text', ({ text, format, facts }) => {
    const failure = only(text);
    expect(failure.format).toBe(format);
    expect(failure.line).toBe(1);
    expect(failure.facts).toEqual({ ...noFacts, ...facts });
  });

  it.each([
    ['17179869184.00 GiB', null],
    ['17592186044416.00 MiB', null],
    ['18446744073709551615 bytes', null],
    ['2.00 GiB', 2 * GiB],
  ])('reads the sentinel %s as %s', (printed, expected) => {
    const failure = only(
      `CUDA out of memory. Tried to allocate 1.00 GiB. GPU 0 has a total capacity of 8.00 GiB of which 0 bytes is free. Including non-PyTorch memory, this process has ${printed} memory in use.`,
    );
    expect(failure.facts.thisProcessBytes).toBe(expected);
  });

  it('finds a grammar by its anchors alone: each anchor is lower-case and long enough', () => {
    for (const { anchors, format } of grammars) {
      expect(anchors.length, String(format)).toBeGreaterThan(0);
      for (const anchor of anchors) {
        expect(anchor).not.toMatch(/[A-Z]/);
        expect(encodeUtf8(anchor).length, anchor).toBeGreaterThanOrEqual(8);
      }
    }
  });

  it.each([
    [
      'cut after the free amount',
      '(GPU 0; 11.17 GiB total capacity; 962.69 MiB already allocated; 17.19 MiB f',
      17.19,
    ],
    [
      'without a head',
      '(GPU 0; 15.75 GiB total capacity; 79.11 MiB already allocated; 3.62 MiB free; 86.00 MiB reserved in total by PyTorch)',
      3.62,
    ],
    [
      'typed by hand',
      'cuda out of memory, tried to allocate 50MiB(GPU 0; 1.96GiB totalcapacity;1.33GiB already allocated; 43.5MiB free;1.36 GiB reserved in total by Pytorch)',
      43.5,
    ],
    [
      'over several lines without parentheses',
      'CUDA out of memory. Tried to allocate 20.00 MiB \nGPU 0; 8.00 GiB total capacity; 7.20 GiB already allocated; 5.00 MiB free; 7.30 GiB reserved in total by PyTorch',
      5,
    ],
  ])('reads a message %s', (_what, text, freeMib) => {
    expect(only(text).facts.freeBytes).toBe(Math.round(freeMib * MiB));
  });
});
