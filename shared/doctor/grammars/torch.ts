import type { Grammar } from './grammar';

/**
 * PyTorch's caching allocator, 1.0 to 2.11, and the builds of other vendors that kept its words (HIP, XPU, NPU, MLU,
 * MUSA). The wordings by version: research/oom.md, section 1, P2 to P8; the source is c10/cuda/CUDACachingAllocator.cpp.
 */
const backend = '(?:CUDA|HIP|XPU|NPU|MLU|MUSA|GCU|SDAA|PrivateUse\\w{0,12})';
const device = '(?:GPU|XPU|NPU|MLU|MUSA|GCU|SDAA|HPU)';
const head = `(?:${backend}:? out of memory[.,:;]{0,2} )?`;
const tried = `${head} (?<!you)tried to allocate {triedBytes:size}`;

/** Up to 2.0: `(GPU 0; 8.00 GiB total capacity; 6.10 GiB already allocated; ...)`, also typed by hand or cut. */
const listFields = [
  '{capacityBytes:size} total capac(?:i)?ty',
  '{allocatedBytes:size} already allocated',
  '{activeBytes:size} current active',
  '{freeBytes:size} free',
  '{unallocatedBytes:size} cached',
  '{reservedBytes:size} reserved in total',
  '[;,] {allocatedBytes:size} a',
  '[;,] {freeBytes:size} f',
  '[;,] {unallocatedBytes:size} c(?!u)',
  '[;,] {reservedBytes:size} r',
] as const;

const listFormats = [
  { name: 'NPU', when: /NPU/, vendor: 'huawei' },
  { name: 'XPU-IPEX', when: /XPU/, vendor: 'intel' },
  { name: 'MLU', when: /MLUout|\(MLU/, vendor: 'cambricon' },
  { name: 'MUSA', when: /MUSA/, vendor: 'moore-threads' },
  {
    name: 'P2-cached',
    when: /\dGiBcached|\d[KMGT]?i?B(?:ytes)?cached|;[^;()]{0,40}cached/i,
    vendor: 'nvidia',
    since: '1.0',
  },
  { name: 'P3b-reserved-hint-HIP', when: /HIPout.*max_split_size_mb/, vendor: 'amd', since: '1.10' },
  { name: 'P3-reserved-HIP', when: /HIPout/, vendor: 'amd', since: '1.4' },
  { name: 'P4-typed-reserved', when: /OutOfMemoryError/, vendor: 'nvidia', since: '1.13' },
  { name: 'P3b-reserved-hint', when: /max_split_size_mb/, vendor: 'nvidia', since: '1.10' },
  { name: 'P3-reserved', when: /reserved ?in ?total/i, vendor: 'nvidia', since: '1.4' },
  { name: 'P2-P3-cut', when: /(?:)/, vendor: 'nvidia' },
] as const;

/** From 2.1: sentences, with the processes on the card where NVML lists them. */
const sentenceFields = [
  'of which {freeBytes:size}',
  'Process {processPid:integer} has {processBytes:size}',
  'this process has {thisProcessBytes:size}',
  '{allowedBytes:size} allowed',
  'Of the allocated memory {allocatedBytes:size}',
  'with {privatePoolBytes:size} allocated in private pools',
  'and {unallocatedBytes:size} is reserved by PyTorch',
  'by PyTorch, and {unallocatedBytes:size}',
] as const;

const sentenceFormats = [
  { name: 'P7-expandable-HIP', when: /HIPout|PYTORCH_HIP_ALLOC_CONF/, vendor: 'amd', since: '2.4' },
  { name: 'XPU-2.x', when: /XPUout|XPU\d+has/, vendor: 'intel', since: '2.4' },
  { name: 'NPU-2.x', when: /NPUout|NPU\d+has/, vendor: 'huawei', since: '2.1' },
  { name: 'MLU-2.x', when: /MLUout|MLU\d+has/, vendor: 'cambricon' },
  { name: 'MUSA-2.x', when: /MUSAout/, vendor: 'moore-threads' },
  { name: 'P5-typo', when: /capacty/, vendor: 'nvidia', since: '2.1' },
  { name: 'P6b-index-as-char', when: /GPU[^A-Za-z0-9]?hasatotal/, vendor: 'nvidia', since: '2.2' },
  { name: 'P8-alloc-conf', when: /PYTORCH_ALLOC_CONF/, vendor: 'nvidia', since: '2.9' },
  { name: 'P6-expandable-torch.cuda', when: /torch\.cuda\.OutOfMemoryError/, vendor: 'nvidia', since: '2.2' },
  { name: 'P7-expandable', when: /(?:)/, vendor: 'nvidia', since: '2.4' },
] as const;

const shared = { kind: 'oom', role: 'cause', story: 'gpu-oom' } as const;

export const torchGrammars = [
  {
    ...shared,
    // Intel's extension refuses a block over 4 GiB unless it is told otherwise.
    format: 'XPU-block-limit',
    framework: 'pytorch',
    vendor: 'intel',
    examples: [
      'RuntimeError: Current platform can NOT allocate memory block with size larger than 4GB! Tried to allocate 5.75 GiB (GPU  0; 15.56 GiB total capacity; 4.19 GiB already allocated; 5.50 GiB reserved in total by PyTorch)',
    ],
    anchors: ['memory block with size larger'],
    start: 'can NOT allocate memory block with size larger than {limitBytes:size}',
    fields: ['Tried to allocate {triedBytes:size}', '{gpuIndex:index};', ...listFields],
  },
  {
    ...shared,
    format: sentenceFormats,
    framework: 'pytorch',
    vendor: null,
    examples: [
      'torch.OutOfMemoryError: XPU out of memory. Tried to allocate 64.00 GiB. GPU 0 has a total capacity of 64.00 GiB',
    ],
    anchors: ['total capacity of', 'total capacty of', 'of the allocated memory'],
    start: `(?:${tried}[.,;]? )?${device} {gpuIndex:index} has a total capac(?:i)?ty of {capacityBytes:size}`,
    fields: sentenceFields,
  },
  {
    ...shared,
    format: listFormats,
    framework: 'pytorch',
    vendor: null,
    examples: ['(GPU 0; 16.00 GiB total capacity; 1.00 GiB already allocated; 17.19 MiB f'],
    anchors: ['total capacity', 'already allocated', 'reserved in total by', 'totalcapacity'],
    start: `(?:${tried}[.,;:]? )?\\(? ${device} {gpuIndex:index}[;,:] (?={capacityBytes:size} t)`,
    fields: listFields,
  },
  {
    ...shared,
    kind: 'nccl',
    role: 'consequence',
    format: 'P-1EB',
    framework: 'pytorch',
    vendor: null,
    examples: ['torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate more than 1EB memory.'],
    anchors: ['tried to allocate more than'],
    start: `${head} tried to allocate more than 1 ?EB memory`,
  },
  {
    ...shared,
    format: 'P5-P8-cut',
    framework: 'pytorch',
    vendor: 'nvidia',
    examples: [
      'ocess has 22.06 GiB memory in use. Of the allocated memory 19.75 GiB is allocated by PyTorch, a\nnd 1.78 GiB is reserved by PyTorch but unallocated. If reserved but unallocated memory is large',
    ],
    anchors: ['is allocated by pytorch', 'reserved by pytorch but'],
    start: 'Of the allocated memory {allocatedBytes:size} is all',
    fields: sentenceFields,
  },
  {
    ...shared,
    format: 'head-only',
    framework: 'pytorch',
    vendor: null,
    examples: [
      'CUDA out of memory. Tried to allocate 3.22 GiB',
      'torch.OutOfMemoryError: Tried to allocate 12.60 GiB. GPU had 12.44 GiB free of 79.19',
    ],
    anchors: ['tried to allocate'],
    start: `(?:${backend}:? out of memory[.,:;]{0,2}|OutOfMemoryError[.,:;]{0,2}) tried to allocate {triedBytes:size}[.,]?`,
    fields: ['{freeBytes:size} free'],
  },
  {
    ...shared,
    by: 'line',
    format: 'head-only',
    framework: 'pytorch',
    vendor: null,
    examples: ['CUDA ran out of it\nTried to allocate 2.00 GiB'],
    anchors: ['tried to allocate'],
    start: '^\\s*Tried to allocate {triedBytes:size}[.,]?\\s*(?:$|\\(|GPU)',
  },
  {
    ...shared,
    format: 'head-only',
    framework: 'pytorch',
    vendor: null,
    examples: ['CUDA out of memory'],
    anchors: ['out of memory'],
    statement: /(?:CUDA|HIP|XPU|NPU|MLU|MUSA)(?: out of memory|: ?out of memory)/i,
    start: `${backend}:? out of memory`,
  },
] as const satisfies readonly Grammar[];
