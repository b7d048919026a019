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
    // sglang/srt/model_executor: weights leave too little for the cache, or graphs find the cache in their place.
    format: [
      { name: 'sglang-graph-capture', when: /Capturecudagraphfailed/i },
      { name: 'sglang-memory-pool', when: /(?:)/ },
    ],
    framework: 'sglang',
    vendor: null,
    examples: [
      'RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.',
      'RuntimeError: Not enough GPU memory for hybrid state cache. total_rest_memory=0.41 GB',
    ],
    anchors: ['--mem-fraction-static', 'capture cuda graph failed', 'memory for hybrid state cache'],
    start:
      '(?:Not enough memory[^:]{0,20}[.:;].{0,80}?--mem-fraction-static|Capture cuda graph failed|Not enough GPU memory for hybrid state cache)',
  },
  {
    ...shared,
    // The pool of tokens or of requests is used up while serving: sglang/srt/mem_cache/common.py.
    format: 'sglang-pool-used-up',
    framework: 'sglang',
    vendor: null,
    examples: [
      'RuntimeError: Prefill out of memory. Try to lower your batch size.\nTry to allocate 8192 tokens.\nAvailable tokens: 3840 (available_size=3840 + evictable_size=0)',
      'RuntimeError: alloc_req_slots runs out of memory. Please set a smaller number for `--max-running-requests`.',
    ],
    anchors: ['out of memory. try to lower your', 'alloc_req_slots runs out of memory'],
    start: '(?:out of memory\\. Try to lower your batch size|alloc_req_slots runs out of memory)',
    fields: [
      'Try to allocate {askedTokens:integer} tokens',
      'Avail(?:a|ia)ble tokens: {availableTokens:integer}',
    ],
  },
  {
    ...shared,
    // sglang/srt/distributed: the cards of one group must be about as free as each other.
    format: 'sglang-unbalanced',
    framework: 'sglang',
    vendor: null,
    examples: [
      'ValueError: The memory capacity is unbalanced. Some GPUs may be occupied by other processes. pre_model_load_memory=16.28, local_gpu_memory=46.81',
    ],
    anchors: ['memory capacity is unbalanced'],
    start: 'memory capacity is unbalanced',
  },
  {
    ...shared,
    // vllm/v1/worker/gpu_worker.py: free memory rose while the engine measured, as somebody else gave some back.
    format: 'vllm-memory-profiling',
    framework: 'vllm',
    vendor: null,
    examples: [
      'AssertionError: Error in memory profiling. Initial free memory 38.20 GiB, current free memory 40.11 GiB.',
    ],
    anchors: ['error in memory profiling'],
    start: 'Error in memory profiling',
    fields: ['Initial free memory {initialFreeBytes:size}', 'current free memory {currentFreeBytes:size}'],
  },
  {
    ...shared,
    kind: 'host-oom',
    story: 'host-oom',
    format: 'engine-host-pool',
    framework: null,
    vendor: null,
    examples: [
      'ValueError: Not enough host memory available. Requesting 128.00 GB but only have 62.10 GB free. Please reduce the size of the hierarchical cache.',
      'ValueError: Too large swap space. 32.00 GiB out of the 31.20 GiB total CPU memory is allocated for the swap space.',
    ],
    anchors: ['not enough host memory available', '. too large swap space', ': too large swap space'],
    start:
      '(?:Not enough host memory available|(?<!Possibly ?)too large swap space\\. {neededBytes:size} out of the {hostTotalBytes:size} total CPU memory)',
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
