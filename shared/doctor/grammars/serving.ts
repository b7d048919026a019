import type { Grammar } from './grammar';

/** Serving engines that measure the card before they take it, and fail at start-up. */
const shared = { kind: 'oom', role: 'cause', story: 'gpu-oom' } as const;

export const servingGrammars: readonly Grammar[] = [
  {
    ...shared,
    format: 'vllm-startup',
    anchors: ['free memory on device'],
    start:
      'Free memory on device (?:(?:cuda|xpu|npu|hpu|musa):{gpuIndex:index})? ?\\({freeBytes:gib}/{capacityBytes:gib} GiB\\) on startup is less than desired GPU memory utilization',
    fields: ['\\({utilization:decimal},{desiredBytes:gib} GiB\\)'],
  },
  {
    ...shared,
    format: 'vllm-sampler-warmup',
    anchors: ['out of memory occurred when'],
    start: 'out of memory occurred when warming up sampler with {dummyRequests:integer} dummy requests',
  },
  {
    ...shared,
    format: 'vllm-no-cache-blocks',
    anchors: [
      'no available memory for the cache blocks',
      'larger than the available kv cache memory',
      'that can be stored in kv cache',
    ],
    start:
      '(?:No available memory for the cache blocks|{neededBytes:size} KV cache is needed, which is larger than the available KV cache memory|max seq len \\({modelLength:integer}\\) is larger than the maximum number of tokens that can be stored in KV cache \\({cacheTokens:integer}\\))',
    fields: ['\\({cacheBytes:size}\\)'],
  },
  {
    ...shared,
    format: 'tgi-warmup',
    anchors: ['not enough memory to handle', 'unable to warmup:'],
    start: '(?:Not enough memory to handle {prefillTokens:integer} \\w{1,12} tokens|Unable to warmup:)',
  },
  {
    ...shared,
    format: 'sglang-memory-pool',
    anchors: ['--mem-fraction-static'],
    start:
      '(?:Not enough memory|RuntimeError: Capture cuda graph failed)[^:]{0,20}[.:].{0,80}?--mem-fraction-static',
  },
  {
    ...shared,
    format: 'flashinfer-workspace',
    anchors: [' in alignedallocator'],
    start:
      'Failed to allocate memory for \\w{1,60} with size {triedBytes:integer} and alignment \\d{1,6} in AlignedAllocator',
  },
  {
    ...shared,
    format: 'd2-retry',
    anchors: ['due to cuda oom'],
    start: 'Attempting to copy inputs of .{0,200}?to CPU due to CUDA OOM',
  },
  {
    ...shared,
    format: 'fairseq-recover',
    anchors: ['ran out of memory', 'attempting to recover from oom'],
    start:
      '(?:OOM: Ran out of memory with exception|ran out of memory(?: in \\w{1,20})?, (?:retrying|skipping) batch|attempting to recover from OOM)',
  },
];
