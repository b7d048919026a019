import type { LineSurroundings } from '../../lines/context';

/**
 * What a text shows beside its numbers, as data: a name, where to look, and what to look for. The rules speak of
 * these names only.
 */
interface SignPattern {
  readonly look: keyof LineSurroundings;
  readonly pattern: RegExp;
}

const patterns = {
  // Phases, by the frame in which it happened.
  optimizerStepFrame: frames(
    /\boptimizer\.step\(|\bin (?:\w+\.)*(?:_maybe_opt_step|optimizer_step|_optimizer_step)\b|[\\/]optim(?:izers?)?[\\/]\w+\.py.{0,20}\bin (?:\w+\.)*(?:step|_init_group|_(?:multi|single)_tensor_\w+|_fused_\w+|update\w*|init_state|get_state_buffer)|\bin (?:\w+\.)*_init_group\b|_foreach_(?!norm)\w+\(|deepspeed[\\/]runtime[\\/](?:zero[\\/]stage\w+|bf16_optimizer|fp16[\\/]\w+)\.py.{0,20}in (?:\w+\.)*(?:step|_optimizer_step|initialize_optimizer_states|_take_model_step)\b|(?:transformers[\\/]optimization|torchao[\\/]optim[\\/]\w+|fused_adam\w*|fused_lamb|distrib_optimizer|cpu_adam|(?:adafactor|adamw?|lion|came|prodigy|muon|sophia|galore)\w*)\.py.{0,20}in (?:\w+\.)*(?:step|init_state|_step\w*|_init_state)\b/i,
  ),
  optimizerStateFrame: frames(
    /_init_group|exp_avg(?:_sq)?\b.{0,40}zeros|initialize_optimizer_states|zeros_like\(.{0,60}memory_format|init_state\b/,
  ),
  foreachFrame: frames(/_foreach_\w+|_multi_tensor_\w+/),
  /** The norm of the gradients, before any optimizer's step. */
  clipFrame: frames(
    /\bclip_grad\w*\.py|\bclip_grad(?:_norm|_value|s)?_?\w*\(|\bin (?:\w+\.)*(?:clip_grad\w*|_?get_total_norm|_get_grad_norm\w*|scaled_global_norm)\b/,
  ),
  backwardFrame: frames(/\.backward\(|autograd[\\/]__init__\.py|run_backward|in backward\b/),
  forwardFrame: frames(
    /\bin (?:\w+\.)*(?:forward|_call_impl|training_step|compute_loss|_wrapped_call_impl)\b/,
  ),
  lossFrame: frames(
    /cross_entropy|nll_loss|log_softmax|logits\.float\(|lm_logits|\blm_head\b|ForCausalLMLoss|fixed_cross_entropy|upcast.{0,20}logits|logits\.clone\(|log_?probs?\b.{0,60}logits|logprobs_from_logits|selective_log_softmax|get_batch_logps|\blogits\b.{0,40}\.float\(/,
  ),
  userLossFrame: frames(
    /File "(?!.{0,300}(?:site-packages|dist-packages|lib[\\/]python|[\\/](?:transformers|torch|trl|peft|accelerate)[\\/])).{0,300}, in (?:\w+\.)*(?:compute_loss|\w*loss(?:_fn|_func(?:tion)?|es)?)\b/i,
  ),
  attentionFrame: frames(
    /scaled_dot_product_attention|attn_weights|attention_scores|attn_scores|eager_attention_forward|softmax\(.{0,40}(?:attn|scores|sim)|\battn = |torch\.baddbmm|q(?:uery)? ?@ ?k|multi_head_attention_forward|\bin (?:\w+\.)*(?:\w*attention\w*|\w*attn\w*)\b|einsum\(.{0,20}b ?h? ?i ?d/i,
  ),
  loadFrame: frames(
    /from_pretrained|_load_state_dict_into|_load_pretrained_model|load_weights|\bin load_model\b|set_module_tensor_to_device|load_checkpoint_and_dispatch|load_checkpoint_in_model|param\s*=\s*param\[|safe_open|load_shard|init_model/,
  ),
  moveModelFrame: frames(
    /\bin (?:\w+\.)*(?:convert|_apply)\b|return t\.to\(|\bmodel\.(?:to|cuda|half)\(|\bin (?:\w+\.)*cuda\b/,
  ),
  torchLoadFrame: frames(
    /serialization\.py|torch\.load\(|\bin (?:\w+\.)*(?:_load|_legacy_load|persistent_load)\b/,
  ),
  deserializeOnCardFrame: frames(
    /_cuda_deserialize|restore_location|default_restore_location|validate_cuda_device/,
  ),
  loadStateDictFrame: frames(
    /\bin (?:\w+\.)*_?(?:pre_)?load_(?:from_)?state_dict\w*\b|deepcopy\(state_dict|load_state_dict\(/,
  ),
  resumeFrame: frames(
    /\bin (?:\w+\.)*(?:_?restore\w*|_?resume\w*|_?load_opt\w*)\b|\boptimizers?\.(?:bin|pth?)\b/,
  ),
  saveFrame: frames(
    /_full_(?:pre|post)_state_dict_hook|_full_optim_state|_unshard\b|\bin (?:\w+\.)*(?:save_checkpoint|_save_checkpoint|save_model|_save|save_pretrained|save_state)\b|get_(?:model_)?state_dict|_gather_state|consolidated_16bit|zero_to_fp32|\bin (?:\w+\.)*state_dict\b|\bin (?:\w+\.)*\w*save_(?:ckpt|checkpoint|model|state)\w*/,
  ),
  dataParallelFrame: frames(
    /parallel[\\/]data_parallel\.py|parallel[\\/]scatter_gather\.py|parallel[\\/]replicate\.py|parallel_apply\.py|in replica \d+ on device|(?<!Distributed)\bDataParallel\b|comm\.(?:gather|broadcast_coalesced|reduce_add)/,
  ),
  /** DistributedDataParallel's constructor makes a bucket for every gradient, before any batch. */
  ddpReducerFrame: frames(
    /\b_ddp_init_helper\b|\bdist\.Reducer\(|parallel[\\/]distributed\.py.{0,20}in __init__/,
  ),
  /** Shards or wrappers are made around the model. */
  wrapFrame: frames(
    /fully_sharded_data_parallel\.py.{0,20}in __init__|fsdp[\\/]_init_utils|_flat_param\.py.{0,20}in (?:__init__|_init_flat\w*|flatten\w*)|\bin (?:\w+\.)*(?:fully_shard|_init_param_handle\w*|_auto_wrap|_recursive_wrap|prepare_fsdp\w*|fsdp2_prepare_model|_configure_distributed_model|_configure_zero_optimizer|_create_fp16_partitions\w*|partition_parameters)\b|partition_parameters\.py|deepspeed\.initialize\(/,
  ),
  semaphoreFrame: frames(
    /\bSemLock\b|multiprocessing[\\/](?:synchronize|heap|shared_memory)\.py|_posixshmem/,
  ),
  exclusiveWords: near(/\bE\. Process\b|Exclusive[_ ]Process|Exclusive_Thread/i),
  ddpConstructionFrame: frames(
    /_sync_(?:params|module)|_verify_param_shape|_broadcast_coalesced|_distributed_broadcast|init_process_group|\bin (?:\w+\.)*(?:barrier|broadcast|all_gather_object)\b/,
  ),
  denseFrame: frames(
    /\btal\.py|task_aligned|assigner|bbox_overlaps|pairwise_iou|box_iou|bboxes_iou|hungarian|matcher\.py|\bmasks?_iou\b|paste_masks/i,
  ),
  evaluationFrame: frames(
    /\bin (?:\w+\.)*(?:evaluat\w*|validat\w*|validation_step|evaluation_loop|prediction_(?:step|loop)|test_step|eval_\w+|val_\w+|do_eval|run_val\w*|inference_on_dataset|test_epoch\w*)\b/i,
  ),
  concatenateFrame: frames(
    /nested_concat|nested_gather|gather_for_metrics|pad_across_processes|nested_truncate|(?:torch\.cat|torch\.stack|concat\w*)\(.{0,60}(?:pred|logit|output|prob)|EvalLoopContainer/i,
  ),
  pinFrame: frames(/\bpin_memory\b|cudaHostAlloc|cudaHostRegister|_pin_memory_loop|PinnedMemory/),
  warmupFrame: frames(
    /profile_run|_dummy_run|_dummy_sampler_run|determine_(?:num_)?available_(?:blocks|memory)|capture_model|compile_or_warm_up_model|warmup|initialize_kv_cache|CUDAGraph|graph_capture|init_cuda_graphs|profile_num_available/i,
  ),
  firstTouchFrame: frames(
    /set_device\(|_lazy_init|_cuda_init|torch\.cuda\.(?:current_device|empty_cache|synchronize)\(/,
  ),
  spawnFrame: frames(/\bspawn_main\b|multiprocessing[\\/]spawn\.py|popen_spawn_win32/),

  // Phases, by what the log says.
  evaluationWords: before(
    /\*{3,5} ?Running (?:Evaluation|Prediction|testing)|\b(?:start(?:ing|ed)?|begin(?:ning)?|running|during) (?:the )?(?:validation|evaluation|eval|testing)\b|\bEvaluating\b|\bValidating\b|Validation sanity check|\b(?:validation|evaluation) out of memory|\bOOM (?:in|during|at) (?:the )?(?:validation|evaluation|eval)\b|开始(?:验证|评估)/i,
  ),
  resumeWords: before(
    /\bresum(?:e|ed|ing)\b|\brestor(?:e|ed|ing)\b.{0,40}(?:checkpoint|model|optimi[sz]er|state|from)|load(?:ed|ing)? (?:the )?(?:optimi[sz]er|training|trainer) state|optimi[sz]er state dict|loading checkpoint (?:from|')|恢复训练/i,
  ),
  saveWords: before(
    /\bsav(?:e|ing) (?:the |final )?(?:model|checkpoint|weights|state)|writing checkpoint|保存(?:模型|检查点)/i,
  ),
  loadWords: before(
    /Loading checkpoint shards|Loading (?:the )?(?:model|weights|pipeline|safetensors)|loading weights|Load(?:ing)? pretrained|加载模型/i,
  ),
  warmupWords: near(
    /\bwarm(?:ing)?[ -]?up\b|profiling run|cuda graph captur|capturing (?:the model|cuda graph)|memory profiling/i,
  ),
  retryWords: near(
    /attempting to recover from OOM|ran out of memory,? (?:retrying|skipping)|skipping (?:this )?batch|retry(?:ing)? (?:with|on) (?:a )?(?:smaller|CPU)|copy inputs of .{0,200} to CPU due to CUDA OOM/i,
  ),
  fsdpSaveWarning: near(/Failed to clone\(\) tensor|FullStateDictConfig|full_state_dict|StateDictType\.FULL/),
  leakWords: near(
    /memory (?:usage )?(?:keeps|kept) (?:growing|increasing)|(?:grows|increases|climbs) (?:every|each|with every) (?:step|iteration|epoch)|memory leak|un-?detached/i,
  ),
  paramArgWords: near(/param(?:eter)?\s*=\s*param\[/),

  // Who else is there.
  workerWords: near(
    /\bRay\w*\b|\bray::|\brollout\b|\bactor\b|gunicorn|uvicorn|\bworkers?\b.{0,20}(?:pid|rank|\d)|EngineCore|VLLM::|vllm|sglang|\bTP\d|\bPP\d|celery|DP_?\d/i,
  ),
  desktopWords: near(
    /Xorg|gnome-shell|kwin|firefox|chrome|\bC\+G\b|explorer\.exe|dwm\.exe|compiz|Discord|Wayland/i,
  ),
  cacheServerWords: near(
    /lmcache|mooncake|cache[ _-]?server|mps-server|\bipc\b.{0,20}(?:handle|mem)|CUDA ?IPC|shared memory server|kv ?cache (?:server|store)/i,
  ),
  orphanWords: near(
    /<defunct>|\borphan|zombie|No such process|\bppid[=: ]+1\b|previous (?:run|process)|left ?over|still (?:alive|running)/i,
  ),
  kernelStackInDriver: near(/\[nvidia(?:_uvm)?\]|\bnv_\w+\+0x|\buvm_\w+\+0x|os_acquire_rwlock|rm_\w+\+0x/),

  // What machine it is.
  windows: near(/\b[A-Za-z]:\\|WinError|\.dll\b|\.exe\b|popen_spawn_win32|\bWindows\b/),
  wsl: near(/\bWSL2?\b|microsoft-standard|\/mnt\/[c-f]\/|\/usr\/lib\/wsl/),
  container: near(/docker|kubernetes|\bk8s\b|\bkubelet\b|containerd|\bpods?\b|\/workspace\/|\bcontainer\b/i),
  mig: near(/\bMIG[- ]|\bMIG\b.{0,20}(?:mode|slice|device|instance)|\d{1,2}g\.\d{1,4}gb/),
  jetson: near(/\b(?:Jetson|Tegra|Orin|Xavier)\b/i),
  visibleDevicesWords: near(/CUDA_VISIBLE_DEVICES|NVIDIA_VISIBLE_DEVICES|--gpu(?:s|_ids?)?[= ]/),
  allocatorIsExpandable: before(
    /(?<!setting )\bPYTORCH_(?:CUDA_|HIP_)?ALLOC_CONF['"\]]*\s*=\s*['"]?[^\n]{0,80}expandable_segments:True/,
  ),

  // Files and shared memory.
  mappedFile: near(/\blmdb\b|\bmmap\b|memmap|\.mdb\b|\.lmdb\b|np\.memmap|MDB_|\barrow\b.{0,40}mmap/i),
  largeSharedMemory: near(
    /(?:shm|\/dev\/shm)\D{0,60}\b(?:[3-9]\d|\d{3,})(?:\.\d+)?\s?G|--shm-size[= ]?(?:[3-9]\d|\d{3,})\s?g|--ipc[= ]host/i,
  ),
  errno28: near(/No space left on device \(28\)|\[Errno 28\]|posix_fallocate failed: No space left/),
  errno24: near(/\[Errno 24\]|Too many open files/),
  sharedMemoryPath: near(/\/dev\/shm|torch_\d+_\d+|\(shm\)|shared memory|insufficient shared memory/),
  slurm: near(/slurm|\bsrun\b|StepId|sbatch/i),
  offload: near(/offload|ZeRO-?(?:Infinity|3)|zero3|stage ?3|cpu_offload|DeepSpeedCPUAdam|low_cpu_mem/i),
  emptyCacheWords: near(/\bempty_cache\b/),
  fewerEpochsWords: near(
    /(?:few(?:er)?|reduc\w+|lower\w*|less) (?:the )?(?:number of )?epochs|\bepochs? (?:to|from) \d+ (?:to|and)\b/i,
  ),
  manualStop: near(
    /KeyboardInterrupt|SIGINT|scancel|CANCELLED AT|DUE TO TIME LIMIT|preempt|received SIGTERM|docker stop|Terminated by user/i,
  ),
  manyInstances: near(
    /\b(?:[5-9]\d\d|\d{4,}) (?:boxes|instances|objects|gt|bboxes|labels|targets)\b|(?:boxes|instances|num_gts?|gt_bboxes)\D{0,12}(?:[5-9]\d\d|\d{4,})\b/i,
  ),
  ncclInText: near(/\bNCCL\b|ProcessGroupNCCL/),
} as const satisfies Readonly<Record<string, SignPattern>>;

export type Sign = keyof typeof patterns;

const entries = Object.entries(patterns) as readonly [Sign, SignPattern][];

/** Every sign that the lines around a message show. */
export function readSigns(around: LineSurroundings): ReadonlySet<Sign> {
  return new Set(entries.filter(([, { look, pattern }]) => pattern.test(around[look])).map(([name]) => name));
}

function frames(pattern: RegExp): SignPattern {
  return { look: 'frames', pattern };
}
function before(pattern: RegExp): SignPattern {
  return { look: 'before', pattern };
}
function near(pattern: RegExp): SignPattern {
  return { look: 'near', pattern };
}
