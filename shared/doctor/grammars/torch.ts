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
];

const listFormats = [
  { name: 'NPU', when: /NPU/ },
  { name: 'XPU-IPEX', when: /XPU/ },
  { name: 'MLU', when: /MLUout|\(MLU/ },
  { name: 'MUSA', when: /MUSA/ },
  { name: 'P2-cached', when: /\dGiBcached|\d[KMGT]?i?B(?:ytes)?cached|;[^;()]{0,40}cached/i },
  { name: 'P3b-reserved-hint-HIP', when: /HIPout.*max_split_size_mb/ },
  { name: 'P3-reserved-HIP', when: /HIPout/ },
  { name: 'P4-typed-reserved', when: /OutOfMemoryError/ },
  { name: 'P3b-reserved-hint', when: /max_split_size_mb/ },
  { name: 'P3-reserved', when: /reserved ?in ?total/i },
  { name: 'P2-P3-cut', when: /(?:)/ },
];

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
];

const sentenceFormats = [
  { name: 'P7-expandable-HIP', when: /HIPout|PYTORCH_HIP_ALLOC_CONF/ },
  { name: 'XPU-2.x', when: /XPUout|XPU\d+has/ },
  { name: 'NPU-2.x', when: /NPUout|NPU\d+has/ },
  { name: 'MLU-2.x', when: /MLUout|MLU\d+has/ },
  { name: 'MUSA-2.x', when: /MUSAout/ },
  { name: 'P5-typo', when: /capacty/ },
  { name: 'P6b-index-as-char', when: /GPU[^A-Za-z0-9]?hasatotal/ },
  { name: 'P8-alloc-conf', when: /PYTORCH_ALLOC_CONF/ },
  { name: 'P6-expandable-torch.cuda', when: /torch\.cuda\.OutOfMemoryError/ },
  { name: 'P7-expandable', when: /(?:)/ },
];

const shared = { kind: 'oom', role: 'cause', story: 'gpu-oom' } as const;

export const torchGrammars: readonly Grammar[] = [
  {
    ...shared,
    format: sentenceFormats,
    anchors: ['total capacity of', 'total capacty of', 'of the allocated memory'],
    start: `(?:${tried}[.,;]? )?${device} {gpuIndex:index} has a total capac(?:i)?ty of {capacityBytes:size}`,
    fields: sentenceFields,
  },
  {
    ...shared,
    format: listFormats,
    anchors: ['total capacity', 'already allocated', 'reserved in total by', 'totalcapacity'],
    start: `(?:${tried}[.,;:]? )?\\(? ${device} {gpuIndex:index}[;,:] (?={capacityBytes:size} t)`,
    fields: listFields,
  },
  {
    ...shared,
    kind: 'nccl',
    role: 'consequence',
    format: 'P-1EB',
    anchors: ['tried to allocate more than'],
    start: `${head} tried to allocate more than 1 ?EB memory`,
  },
  {
    ...shared,
    format: 'P5-P8-cut',
    anchors: ['is allocated by pytorch', 'reserved by pytorch but'],
    start: 'Of the allocated memory {allocatedBytes:size} is all',
    fields: sentenceFields,
  },
  {
    ...shared,
    format: 'head-only',
    anchors: ['tried to allocate'],
    start: `${backend}:? out of memory[.,:;]{0,2} tried to allocate {triedBytes:size}[.,]?`,
  },
  {
    ...shared,
    by: 'line',
    format: 'head-only',
    anchors: ['tried to allocate'],
    start: '^\\s*Tried to allocate {triedBytes:size}[.,]?\\s*(?:$|\\(|GPU)',
  },
  {
    ...shared,
    format: 'head-only',
    anchors: ['out of memory'],
    statement: /(?:CUDA|HIP|XPU|NPU|MLU|MUSA)(?: out of memory|: ?out of memory)/i,
    start: `${backend}:? out of memory`,
  },
];
