import type { Grammar } from './grammar';

/** What refuses to start because the model or its batch does not fit, in words of its own. */
const shared = { kind: 'oom', role: 'cause', story: 'gpu-oom' } as const;

export const loadingGrammars = [
  {
    ...shared,
    // transformers/quantizers: a quantised model may not spill to the CPU unless that is asked for.
    format: 'quantised-model-does-not-fit',
    framework: null,
    vendor: null,
    examples: [
      'ValueError: Some modules are dispatched on the CPU or the disk. Make sure you have enough GPU RAM to fit the quantized model.',
      'ValueError: You are attempting to load an AWQ model with a device_map that contains a CPU or disk device. This is not supported.',
      'ValueError: Found modules on cpu/disk. Using Exllama or Exllamav2 backend requires all the modules to be on GPU.',
    ],
    anchors: [
      'modules are dispatched on the cpu',
      'have enough gpu ram to fit',
      'contains a cpu or disk device',
      'found modules on cpu/disk',
    ],
    start:
      'Some modules (?:of the model )?are dispatched on the CPU|(?:ensure|make sure) you have enough GPU RAM to fit|device_map that contains a CPU or disk device|Found modules on cpu/disk',
  },
  {
    ...shared,
    // accelerate/utils/modeling.py
    format: 'offload-folder-missing',
    framework: null,
    vendor: null,
    examples: [
      'ValueError: The current `device_map` had weights offloaded to the disk. Please provide an `offload_folder` for them.',
      'ValueError: At least one of the model submodule will be offloaded to disk, please pass along an `offload_folder`.',
    ],
    anchors: ['had weights offloaded to the disk', 'submodule will be offloaded to disk'],
    start: 'had weights offloaded to the disk|model submodule will be offloaded to disk',
  },
  {
    ...shared,
    // accelerate/utils/memory.py: every batch size down to 1 ran out of memory.
    format: 'no-executable-batch-size',
    framework: null,
    vendor: null,
    examples: ['RuntimeError: No executable batch size found, reached zero.'],
    anchors: ['no executable batch size found'],
    start: 'No executable batch size found',
  },
  {
    ...shared,
    // tensorflow/core/common_runtime/copy_tensor.cc: the copy's target could not be allocated.
    format: 'TF-dst-tensor',
    framework: 'tensorflow',
    vendor: null,
    examples: [
      'InternalError: Failed copying input tensor from /job:localhost/replica:0/task:0/device:CPU:0 to /job:localhost/replica:0/task:0/device:GPU:0 in order to run _EagerConst: Dst tensor is not initialized.',
    ],
    anchors: ['dst tensor is not initialized'],
    start:
      '(?:Failed copying input tensor from [^ ]{1,80}? to [^ ]{1,80}?device:(?:GPU|XPU):{gpuIndex:index} in order to run \\w{1,40}: )?Dst tensor is not initialized',
  },
  {
    ...shared,
    // XLA's stream executor asked for cuDNN's handle on a card whose pool took everything.
    format: 'XLA-DNN-library',
    framework: 'jax',
    vendor: null,
    examples: [
      'XlaRuntimeError: FAILED_PRECONDITION: DNN library initialization failed. Look at the errors above for more details.',
      'RuntimeError: UNKNOWN: Failed to determine best cudnn convolution algorithm for: %custom-call',
    ],
    anchors: ['dnn library initialization failed', 'failed to determine best cudnn'],
    start: 'DNN library initialization failed|Failed to determine best cudnn convolution algorithm',
  },
  {
    ...shared,
    format: 'llama.cpp-context',
    framework: 'llama.cpp',
    vendor: null,
    examples: [
      'llama_init_from_model: failed to initialize the context: failed to allocate compute pp buffers',
      'llama_kv_cache_init: failed to allocate buffer for kv cache',
    ],
    anchors: ['failed to allocate compute', 'failed to allocate buffer for kv'],
    start: 'failed to allocate (?:compute (?:pp |tg )?buffers|buffer for (?:the )?kv cache)',
  },
  {
    ...shared,
    // stable-diffusion-webui, modules/sd_hijack_optimizations.py
    format: 'webui-lower-resolution',
    framework: 'stable-diffusion-webui',
    vendor: null,
    examples: [
      'RuntimeError: Not enough memory, use lower resolution (max approx. 1024x1024). Need: 8.2GB free, Have:5.1GB free',
    ],
    anchors: ['use lower resolution'],
    start: 'Not enough memory, use lower resolution',
    fields: ['Need: {neededBytes:size} free', 'Have: ?{freeBytes:size} free'],
  },
  {
    ...shared,
    // vllm/v1/engine: the parent only points above itself.
    kind: 'other',
    role: 'consequence',
    story: 'program-error',
    format: 'engine-failed-above',
    framework: null,
    vendor: null,
    examples: [
      'RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}',
      'RuntimeError: Engine process failed to start. See stack trace for the root cause.',
      'Exception: WorkerProc initialization failed due to an exception in a background process. See stack trace for root cause.',
    ],
    anchors: [
      'see root cause above',
      'for the root cause',
      'for root cause.',
      'failed core proc(s)',
      'scheduler is dead',
    ],
    start:
      'Engine core initialization failed|Engine process failed to start|WorkerProc initialization failed|EngineCore encountered an issue|(?:Rank \\d{1,4} )?scheduler is dead',
  },
] as const satisfies readonly Grammar[];
