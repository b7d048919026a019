import type { ProgramRow } from './program';

/** Engines that serve a model, by their command-line flags. Sources: each project's own `--help` and documentation. */
export const servingPrograms = [
  {
    // https://docs.vllm.ai/en/latest/configuration/conserving_memory.html
    name: 'vllm',
    sign: /\bvllm\b|VLLM::|\bEngineCore(?:_DP\d+)?\b|\bAPIServer pid=/i,
    does: 'serving',
    onPyTorch: true,
    words: {
      deviceShare: '--gpu-memory-utilization 0.95',
      contextLength: '--max-model-len 8192',
      fewerRequests: '--max-num-seqs 64',
      cacheType: '--kv-cache-dtype fp8',
      moreCards: '--tensor-parallel-size 2',
      quantisedWeights: '--quantization fp8',
      weightOffload: '--cpu-offload-gb 8',
      lowMemoryMode: '--enforce-eager',
    },
  },
  {
    // https://docs.sglang.ai/advanced_features/server_arguments.html
    name: 'sglang',
    sign: /\bsglang\b|--mem-fraction-static/i,
    does: 'serving',
    onPyTorch: true,
    words: {
      deviceShare: '--mem-fraction-static 0.92',
      smallerDeviceShare: '--mem-fraction-static 0.8',
      contextLength: '--context-length 8192',
      fewerRequests: '--max-running-requests 32 --chunked-prefill-size 2048',
      cacheType: '--kv-cache-dtype fp8_e5m2',
      moreCards: '--tp 2',
      quantisedWeights: '--quantization fp8',
      weightOffload: '--cpu-offload-gb 8',
    },
  },
  {
    // https://huggingface.co/docs/text-generation-inference/reference/launcher
    name: 'text-generation-inference',
    sign: /text[-_]generation[-_](?:inference|launcher|server)|--max-batch-prefill-tokens|Unable to warmup:/,
    does: 'serving',
    onPyTorch: true,
    words: {
      contextLength: '--max-total-tokens 4096 --max-input-tokens 3072',
      fewerRequests: '--max-batch-prefill-tokens 2048',
      moreCards: '--num-shard 2',
      quantisedWeights: '--quantize fp8',
      smallerDeviceShare: '--cuda-memory-fraction 0.9',
    },
  },
  {
    // https://github.com/ollama/ollama/blob/main/docs/faq.md
    name: 'ollama',
    runs: 'llama.cpp',
    sign: /\bollama\b|OLLAMA_/i,
    does: 'serving',
    onPyTorch: false,
    words: {
      contextLength: '/set parameter num_ctx 4096',
      weightOffload: '/set parameter num_gpu 20',
      fewerRequests: 'OLLAMA_NUM_PARALLEL=1 OLLAMA_MAX_LOADED_MODELS=1',
      cacheType: 'OLLAMA_FLASH_ATTENTION=1 OLLAMA_KV_CACHE_TYPE=q8_0',
    },
  },
  {
    // https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md
    name: 'llama.cpp',
    sign: /\bggml_\w+|\bllama[._](?:cpp|model_load|init|kv_cache|context)|\bllama-(?:server|cli)\b|n[-_]gpu[-_]layers/i,
    does: 'serving',
    onPyTorch: false,
    words: {
      weightOffload: '-ngl 20',
      contextLength: '-c 4096',
      fewerRequests: '-b 512 -ub 128',
      cacheType: '-fa on --cache-type-k q8_0 --cache-type-v q8_0',
      moreCards: '--tensor-split 1,1',
    },
  },
  {
    // https://github.com/triton-inference-server/server/blob/main/docs/user_guide/model_configuration.md
    name: 'triton-server',
    sign: /\btritonserver\b|\bTRITONSERVER_|tritonclient|model_repository_manager\.cc/,
    does: 'serving',
    onPyTorch: false,
    words: {
      fewerRequests: 'instance_group [{ count: 1 }], max_batch_size: 1',
      moreCards: 'instance_group [{ gpus: [ 1 ] }]',
    },
  },
  {
    // What others run on: last, so that they speak first. https://docs.ray.io/en/latest/ray-core/scheduling/ray-oom-prevention.html
    name: 'ray',
    sign: /\bray\.(?:exceptions|train|tune|data|rllib|remote|get)\b|\bray::|\braylet\b|\bRayActorError\b/i,
    does: 'training',
    onPyTorch: true,
    words: { fewerRequests: 'ray.remote(num_gpus=1)', dataWorkers: 'ray.init(num_cpus=2)' },
  },
] as const satisfies readonly ProgramRow[];
