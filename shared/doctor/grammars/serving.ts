import type { Grammar } from './grammar';

/** Serving engines that measure the card before they take it, and fail at start-up. */
const shared = { kind: 'oom', role: 'cause', story: 'gpu-oom' } as const;

export const servingGrammars = [
  {
    ...shared,
    format: 'vllm-startup',
    framework: 'vllm',
    vendor: null,
    examples: [
      'ValueError: Free memory on device xpu:0 (0.22/30.3 GiB) on startup is less than desired GPU memory utilization (0.7, 21.21 GiB).',
    ],
    anchors: ['free memory on device'],
    start:
      'Free memory on device (?:(?:cuda|xpu|npu|hpu|musa):{gpuIndex:index})? ?\\({freeBytes:gib}/{capacityBytes:gib} GiB\\) on startup is less than desired GPU memory utilization',
    fields: ['\\({utilization:decimal},{desiredBytes:gib} GiB\\)'],
  },
  {
    ...shared,
    format: 'vllm-sampler-warmup',
    framework: 'vllm',
    vendor: null,
    examples: [
      'RuntimeError: CUDA out of memory occurred when warming up sampler with 1024 \ndummy requests. Please try lowering `max_num_seqs` or `gpu_memory_utilization`',
    ],
    anchors: ['out of memory occurred when'],
    start: 'out of memory occurred when warming up sampler with {dummyRequests:integer} dummy requests',
  },
  {
    ...shared,
    format: 'vllm-no-cache-blocks',
    framework: 'vllm',
    vendor: null,
    examples: [
      "ValueError: The model's max seq len (131072) is larger than the maximum number of tokens that can be stored in KV cache (58496). Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine.",
    ],
    anchors: [
      'no available memory for the cache blocks',
      'larger than the available kv cache memory',
      'that can be stored in kv cache',
    ],
    start:
      '(?:No available memory for the cache blocks|(?:max seq len \\({modelLength:integer}\\), ?)?\\(?{neededBytes:size} KV cache is needed, which is larger than the available KV cache memory|max seq len \\({askedLength:integer}\\) is larger than the maximum number of tokens that can be stored in KV cache \\({cacheTokens:integer}\\))',
    fields: ['\\({cacheBytes:size}\\)', 'estimated maximum model length is {estimatedModelLength:integer}'],
  },
  {
    ...shared,
    format: 'tgi-warmup',
    framework: 'text-generation-inference',
    vendor: null,
    examples: [
      'RuntimeError: Not enough memory to handle 4096 prefill tokens. You need to decrease `--max-batch-prefill-tokens`',
    ],
    anchors: ['not enough memory to handle', 'unable to warmup:'],
    start: '(?:Not enough memory to handle {prefillTokens:integer} \\w{1,12} tokens|Unable to warmup:)',
  },
  {
    ...shared,
    format: 'sglang-memory-pool',
    framework: 'sglang',
    vendor: null,
    examples: ['RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.'],
    anchors: ['--mem-fraction-static'],
    start:
      '(?:Not enough memory|RuntimeError: Capture cuda graph failed)[^:]{0,20}[.:].{0,80}?--mem-fraction-static',
  },
  {
    ...shared,
    format: 'flashinfer-workspace',
    framework: 'flashinfer',
    vendor: null,
    examples: [
      'RuntimeError: Failed to allocate memory for batch_prefill_tmp_v with size 435814400 and alignment 16 in AlignedAllocator',
    ],
    anchors: [' in alignedallocator'],
    start:
      'Failed to allocate memory for \\w{1,60} with size {triedBytes:integer} and alignment \\d{1,6} in AlignedAllocator',
  },
  {
    ...shared,
    format: 'd2-retry',
    framework: 'detectron2',
    vendor: null,
    examples: [
      'WARNING d2.utils.memory: Attempting to copy inputs of <function pairwise_iou at 0x7f> to CPU due to CUDA OOM',
    ],
    anchors: ['due to cuda oom'],
    start: 'Attempting to copy inputs of .{0,200}?to CPU due to CUDA OOM',
  },
  {
    ...shared,
    format: 'fairseq-recover',
    framework: 'fairseq',
    vendor: null,
    examples: ['print("| WARNING: ran out of memory, retrying batch")'],
    anchors: ['ran out of memory', 'attempting to recover from oom'],
    start:
      '(?:OOM: Ran out of memory with exception|ran out of memory(?: in \\w{1,20})?, (?:retrying|skipping) batch|attempting to recover from OOM)',
  },
] as const satisfies readonly Grammar[];
