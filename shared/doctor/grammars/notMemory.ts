import type { Grammar } from './grammar';

/** Messages that say "memory", or come in its company, and mean something else. */
const shared = { kind: 'not-memory', role: 'cause', story: 'not-memory' } as const;

export const notMemoryGrammars = [
  {
    ...shared,
    format: 'Triton-OutOfResources',
    framework: 'triton',
    vendor: null,
    examples: [
      'triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 81920, Hardware limit: 65536.',
    ],
    anchors: ['out of resource: ', 'out of resources: '],
    start: 'out of resources?: (?:shared memory|\\w{1,80}?(?=,?Required:))',
    fields: ['Required: {requiredBytes:integer}', 'Hardware limit(?:ation)?: {limitBytes:integer}'],
  },
  {
    ...shared,
    // A TPU core's scratchpads: what a kernel asks for at once, whatever the size of the batch.
    // https://docs.jax.dev/en/latest/pallas/tpu/details.html
    format: 'XLA-on-chip',
    framework: 'jax',
    vendor: 'google',
    examples: [
      'RESOURCE_EXHAUSTED: Ran out of memory in memory space vmem. Used 21.50M of 16.00M vmem. Exceeded vmem capacity by 5.50M.',
    ],
    anchors: ['ran out of memory in memory space'],
    start: 'Ran out of memory in memory space (?:vmem|smem|cmem|sflag)',
    fields: ['Used {requiredBytes:size} of {limitBytes:size}'],
  },
  {
    ...shared,
    format: 'CUDA-shared-memory',
    framework: null,
    vendor: 'nvidia',
    examples: ['ptxas error   : Entry function kernel uses too much shared data (0x18000 bytes, 0xc000 max)'],
    anchors: ['uses too much shared data', 'too many resources requested for launch'],
    start: '(?:uses too much shared data \\(0x[0-9a-f]{1,8} bytes|too many resources requested for launch)',
  },
  {
    ...shared,
    // A kernel broke; "memory" is an address here. No cause of the list fits, so only what to bring is said.
    format: 'CUDA-broken-kernel',
    framework: null,
    vendor: 'nvidia',
    examples: ['RuntimeError: CUDA error: an illegal memory access was encountered'],
    anchors: [
      'an illegal memory access was',
      'device-side assert triggered',
      'misaligned address',
      'unspecified launch failure',
    ],
    statement:
      /CUDA error: (?:an illegal memory access was encountered|device-side assert triggered|misaligned address|unspecified launch failure)/i,
    start:
      'CUDA error: (?:an illegal memory access was encountered|device-side assert triggered|misaligned address|unspecified launch failure)',
  },
  {
    ...shared,
    by: 'line',
    // The same from older builds, other frameworks and ROCm, and the assertion's own line.
    format: 'CUDA-broken-kernel',
    framework: null,
    vendor: 'nvidia',
    examples: [
      'Indexing.cu:699: indexSelectLargeIndex: block: [153,0,0], thread: [28,0,0] Assertion `srcIndex < srcSelectDimSize` failed.',
    ],
    anchors: [
      'unspecified launch failure',
      'illegal memory access',
      'device-side assert',
      'launch timed out and was',
      'cudaerrorillegaladdress',
      'cudaerrorlaunchfailure',
      'cuda_error_illegal_address',
      'cuda_error_launch_failed',
      'memory access fault by gpu',
      ', thread: [',
    ],
    start:
      '(?:error ?\\(\\d{1,3}\\)|error=\\d{1,3}|HIP error|CUDA error) ?[:,] {0,2}(?:unspecified launch failure|(?:an )?illegal memory access|device-side assert triggered|the launch timed out and was terminated)|: CUDA_ERROR_(?:ILLEGAL_ADDRESS|LAUNCH_FAILED)\\b|^(?:Memory access fault by GPU node|Error an illegal memory access)|: block: \\[[\\d,]{1,24}\\], thread: \\[[\\d,]{1,24}\\] Assertion ',
  },
  {
    ...shared,
    // Two ranks were given one card; NCCL refuses, and no memory is missing.
    format: 'nccl-duplicate-gpu',
    framework: 'nccl',
    vendor: 'nvidia',
    examples: ['Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 2000'],
    anchors: ['duplicate gpu detected'],
    start:
      'Duplicate GPU detected: rank {firstRank:integer} and rank {secondRank:integer} both on CUDA device {busId:pci}',
  },
  {
    ...shared,
    format: 'fd-limit',
    framework: 'pytorch',
    vendor: null,
    examples: ['OSError: [Errno 24] Too many open files'],
    anchors: ['too many open files', 'items of ancdata', 'unable to open shared memory object'],
    start:
      '(?:\\[Errno 24\\] Too many open files|received 0 items of ancdata|unable to open shared memory object </torch_\\w{1,40}>(?!.{0,40}\\(28\\)))',
  },
  {
    ...shared,
    format: 'fd-limit',
    framework: 'pytorch',
    vendor: null,
    examples: ['OSError: Too many open files'],
    anchors: ['too many open files'],
    statement: /Too many open files/i,
    start: 'Too many open files',
  },
] as const satisfies readonly Grammar[];
