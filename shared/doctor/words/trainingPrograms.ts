import type { ProgramRow } from './program';

/** Programs that train, those that stand on others before what they stand on. */
export const trainingPrograms = [
  {
    // https://docs.ultralytics.com/usage/cfg/
    name: 'ultralytics',
    sign: /\bultralytics\b|\byolo (?:train|task|detect|segment)\b|AutoBatch: /i,
    does: 'training',
    onPyTorch: true,
    words: {
      microBatch: 'batch=…/2 (nbs=64 keeps the nominal batch)',
      evaluationBatch: 'val: batch=1',
      shorterInput: 'imgsz=…',
      dataWorkers: 'workers=2',
    },
  },
  {
    // https://github.com/kohya-ss/sd-scripts/blob/main/docs/train_network.md
    name: 'kohya',
    sign: /\bkohya\b|\bsd-scripts\b|library[\\/]train_util\.py|train_(?:network|db)\.py|(?:sdxl|flux)_train\w*\.py/i,
    does: 'training',
    onPyTorch: true,
    words: {
      microBatch: '--train_batch_size 1 --gradient_accumulation_steps …',
      checkpointing: '--gradient_checkpointing',
      shorterInput: '--resolution 512,512',
      eightBitOptimizer: '--optimizer_type AdamW8bit',
      fusedAttention: '--sdpa',
      quantisedWeights: '--fp8_base',
      dataWorkers: '--max_data_loader_n_workers 1',
      weightOffload: '--blocks_to_swap 18',
    },
  },
  {
    // https://docs.axolotl.ai/docs/config-reference.html
    name: 'axolotl',
    sign: /\baxolotl\b/i,
    does: 'training',
    onPyTorch: true,
    words: {
      microBatch: 'micro_batch_size: 1, gradient_accumulation_steps: …*2',
      evaluationBatch: 'eval_batch_size: 1',
      checkpointing: 'gradient_checkpointing: true',
      shorterInput: 'sequence_len: …',
      quantisedWeights: 'load_in_4bit: true, adapter: qlora',
      eightBitOptimizer: 'optimizer: adamw_bnb_8bit',
      shardedModel: 'deepspeed: deepspeed_configs/zero3.json',
      fusedAttention: 'flash_attention: true',
      dataWorkers: 'dataset_num_proc: 4, dataloader_num_workers: 1',
    },
  },
  {
    // https://llamafactory.readthedocs.io
    name: 'llama-factory',
    sign: /\bllama[-_]?factory\b|\bllamafactory\b/i,
    does: 'training',
    onPyTorch: true,
    words: {
      microBatch: 'per_device_train_batch_size: 1, gradient_accumulation_steps: …*2',
      evaluationBatch: 'per_device_eval_batch_size: 1',
      shorterInput: 'cutoff_len: …',
      quantisedWeights: 'quantization_bit: 4',
      eightBitOptimizer: 'optim: adamw_bnb_8bit',
      shardedModel: 'deepspeed: examples/deepspeed/ds_z3_config.json',
      fusedAttention: 'flash_attn: fa2',
      dataWorkers: 'preprocessing_num_workers: 4',
    },
  },
  {
    // https://docs.unsloth.ai
    name: 'unsloth',
    sign: /\bunsloth\b/i,
    does: 'training',
    onPyTorch: true,
    words: {
      microBatch: 'per_device_train_batch_size=1, gradient_accumulation_steps=…*2',
      checkpointing: 'get_peft_model(…, use_gradient_checkpointing="unsloth")',
      shorterInput: 'max_seq_length=…',
      quantisedWeights: 'FastLanguageModel.from_pretrained(…, load_in_4bit=True)',
      eightBitOptimizer: 'optim="adamw_8bit"',
    },
  },
  {
    // https://huggingface.co/docs/trl/reducing_memory_usage
    name: 'trl',
    sign: /[\\/]trl[\\/](?:trainer|models|extras)[\\/]|\b(?:SFT|DPO|GRPO|PPO|ORPO|KTO|Reward|RLOO|Distillation|GKD)(?:Trainer|Config)\b/,
    does: 'training',
    onPyTorch: true,
    words: {
      microBatch: 'per_device_train_batch_size=1, gradient_accumulation_steps=…*2',
      evaluationBatch: 'per_device_eval_batch_size=1',
      checkpointing: 'gradient_checkpointing=True',
      shorterInput: 'max_length=…, max_completion_length=…',
      quantisedWeights:
        'from_pretrained(…, quantization_config=BitsAndBytesConfig(load_in_4bit=True)), peft_config=LoraConfig(…)',
      eightBitOptimizer: 'optim="adamw_bnb_8bit"',
      shardedModel: 'accelerate launch --config_file deepspeed_zero3.yaml',
      shardedOptimizer: 'accelerate launch --config_file deepspeed_zero2.yaml',
      fusedAttention: 'model_init_kwargs={"attn_implementation": "sdpa"}',
      dataWorkers: 'dataloader_num_workers=2, dataset_num_proc=4',
      pageLocking: 'dataloader_pin_memory=False',
      groupByLength: 'group_by_length=True',
    },
  },
  {
    // https://github.com/verl-project/verl, https://github.com/OpenRLHF/OpenRLHF
    name: 'verl',
    sign: /\bverl\b|\bopenrlhf\b/i,
    does: 'training',
    onPyTorch: true,
    words: {
      microBatch: 'actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=1',
      checkpointing: 'actor_rollout_ref.model.enable_gradient_checkpointing=True',
      shorterInput: 'data.max_prompt_length=…, data.max_response_length=…',
      smallerDeviceShare: 'actor_rollout_ref.rollout.gpu_memory_utilization=0.5',
      shardedOptimizer: 'actor_rollout_ref.actor.fsdp_config.optimizer_offload=True',
      weightOffload: 'actor_rollout_ref.actor.fsdp_config.param_offload=True',
    },
  },
  {
    // https://docs.nvidia.com/megatron-core/developer-guide/latest, https://docs.nvidia.com/nemo-framework/user-guide/latest
    name: 'megatron',
    sign: /\bmegatron\b|[\\/]nemo[\\/]|\bNeMo\b|\bnemo_(?:lightning|logging|run)\b/i,
    does: 'training',
    onPyTorch: true,
    words: {
      microBatch: '--micro-batch-size 1 (NeMo: model.micro_batch_size=1)',
      checkpointing: '--recompute-granularity full --recompute-method uniform --recompute-num-layers 1',
      shorterInput: '--seq-length …',
      shardedOptimizer: '--use-distributed-optimizer',
      shardedModel: '--tensor-model-parallel-size 2 --pipeline-model-parallel-size 2 --sequence-parallel',
      moreCards: '--tensor-model-parallel-size 2',
      fusedAttention: '--use-flash-attn',
      dataWorkers: '--num-workers 1',
    },
  },
  {
    // https://lightning.ai/docs/pytorch/stable/common/trainer.html
    name: 'lightning',
    sign: /\b(?:pytorch_)?lightning(?:_fabric)?[\\/.]|\bLightningModule\b|`Trainer\(|\blightning\.pytorch\b|GPU available: True \(cuda\)/i,
    does: 'training',
    onPyTorch: true,
    words: {
      microBatch: 'DataLoader(batch_size=…/2), Trainer(accumulate_grad_batches=…*2)',
      shardedModel: 'Trainer(strategy="fsdp")',
      shardedOptimizer: 'Trainer(strategy="deepspeed_stage_2")',
      moreCards: 'Trainer(devices=…, strategy="fsdp")',
    },
  },
  {
    // https://huggingface.co/docs/transformers/perf_train_gpu_one
    name: 'trainer',
    sign: /[\\/]transformers[\\/](?:trainer\w*|integrations[\\/]deepspeed)\.py|\bSeq2SeqTrainer\b|\bTrainingArguments\b|\*{5} Running (?:training|Evaluation|Prediction) \*{5}/,
    does: 'training',
    onPyTorch: true,
    words: {
      microBatch: 'per_device_train_batch_size=…/2, gradient_accumulation_steps=…*2',
      evaluationBatch: 'per_device_eval_batch_size=1',
      checkpointing: 'gradient_checkpointing=True',
      shorterInput: 'tokenizer(…, truncation=True, max_length=…)',
      quantisedWeights:
        'from_pretrained(…, quantization_config=BitsAndBytesConfig(load_in_4bit=True), device_map="auto")',
      eightBitOptimizer: 'optim="adamw_bnb_8bit"',
      shardedModel: 'fsdp="full_shard auto_wrap"',
      shardedOptimizer: 'deepspeed="zero2.json"',
      fusedAttention: 'from_pretrained(…, attn_implementation="sdpa")',
      dataWorkers: 'dataloader_num_workers=2',
      pageLocking: 'dataloader_pin_memory=False',
      groupByLength: 'group_by_length=True',
      reducedPredictions: 'preprocess_logits_for_metrics=lambda logits, labels: logits.argmax(-1)',
    },
  },
  {
    // https://www.deepspeed.ai/docs/config-json/
    name: 'deepspeed',
    sign: /\bdeepspeed\b/i,
    does: 'training',
    onPyTorch: true,
    words: {
      microBatch: '"train_micro_batch_size_per_gpu": …/2, "gradient_accumulation_steps": …*2',
      checkpointing: '"activation_checkpointing": {"partition_activations": true}',
      shardedModel: '"zero_optimization": {"stage": 3}',
      shardedOptimizer: '"zero_optimization": {"stage": 2, "offload_optimizer": {"device": "cpu"}}',
      weightOffload: '"zero_optimization": {"stage": 3, "offload_param": {"device": "cpu"}}',
    },
  },
  {
    // https://github.com/karpathy/nanoGPT
    name: 'nanogpt',
    sign: /\bnanogpt\b|\bnanochat\b|tokens per iteration will be/i,
    does: 'training',
    onPyTorch: true,
    words: {
      microBatch: '--batch_size=… --gradient_accumulation_steps=…',
      shorterInput: '--block_size=…',
    },
  },
  {
    // https://fairseq.readthedocs.io
    name: 'fairseq',
    sign: /\bfairseq\b/i,
    does: 'training',
    onPyTorch: true,
    words: { microBatch: '--max-tokens …/2 --update-freq …*2', checkpointing: '--checkpoint-activations' },
  },
  {
    // https://detectron2.readthedocs.io, https://mmengine.readthedocs.io
    name: 'detectron2',
    sign: /\bdetectron2\b|\bd2\.engine\b/i,
    does: 'training',
    onPyTorch: true,
    words: {
      microBatch: 'SOLVER.IMS_PER_BATCH …/2',
      shorterInput: 'INPUT.MIN_SIZE_TRAIN "(480,)" INPUT.MAX_SIZE_TRAIN 800',
      dataWorkers: 'DATALOADER.NUM_WORKERS 2',
    },
  },
  {
    name: 'openmmlab',
    sign: /\bmm(?:det|seg|engine|cv|pose|detection|segmentation)\b/i,
    does: 'training',
    onPyTorch: true,
    words: {
      microBatch: 'train_dataloader.batch_size=…/2 (before mmengine: data.samples_per_gpu)',
      shorterInput: 'dict(type="Resize", scale=…)',
      checkpointing: 'backbone.with_cp=True',
      dataWorkers: 'train_dataloader.num_workers=2',
    },
  },
  {
    // https://docs.jax.dev/en/latest/gpu_memory_allocation.html
    name: 'jax',
    sign: /\bjax(?:lib)?\b|XlaRuntimeError|\bflax\b|\bXLA_PYTHON_CLIENT/i,
    does: 'training',
    onPyTorch: false,
    words: {
      checkpointing: 'jax.checkpoint(block)',
      moreCards: 'jax.device_put(params, NamedSharding(mesh, PartitionSpec("data")))',
      shardedModel: 'jax.device_put(params, NamedSharding(mesh, PartitionSpec("data")))',
      roomForLibrary: 'XLA_PYTHON_CLIENT_MEM_FRACTION=.8',
      lowMemoryMode: 'jax.jit(step, donate_argnums=(0, 1))',
    },
  },
  {
    // https://www.tensorflow.org/guide/gpu
    name: 'tensorflow',
    sign: /\btensorflow\b|\bkeras\b|\bitex\b|ResourceExhaustedError|BFCAllocator|bfc_allocator/i,
    does: 'training',
    onPyTorch: false,
    words: {
      microBatch: 'model.fit(…, batch_size=…/2)',
      checkpointing: 'tf.recompute_grad(block)',
      lowMemoryMode: 'tf.keras.mixed_precision.set_global_policy("mixed_float16")',
      roomForLibrary: 'TF_FORCE_GPU_ALLOW_GROWTH=true',
      dataStream: 'tf.data.Dataset.from_generator(…).batch(…)',
      dataWorkers: 'model.fit(…, workers=1, max_queue_size=2)',
    },
  },
  {
    // https://www.paddlepaddle.org.cn/documentation/docs/en/guides/flags/memory_en.html
    name: 'paddle',
    sign: /\bpaddle(?:paddle|nlp|ocr|detection|seg|speech)?\b/i,
    does: 'training',
    onPyTorch: false,
    words: {
      microBatch: 'paddle.io.DataLoader(…, batch_size=…/2)',
      checkpointing: 'paddle.distributed.fleet.utils.recompute(block, x)',
      dataWorkers: 'paddle.io.DataLoader(…, num_workers=0, use_shared_memory=False)',
      lowMemoryMode: 'paddle.amp.auto_cast(level="O2")',
    },
  },
  {
    // https://github.com/ml-explore/mlx-lm/blob/main/mlx_lm/LORA.md
    name: 'mlx',
    sign: /\bmlx(?:[-_](?:lm|vlm|whisper|examples))?\b|\[METAL\]|kIOGPUCommandBuffer/i,
    does: 'training',
    onPyTorch: false,
    words: {
      microBatch: '--batch-size 1',
      checkpointing: '--grad-checkpoint',
      shorterInput: '--max-seq-length 1024',
      quantisedWeights: 'mlx_lm.convert -q --hf-path …',
      wiredLimit: 'sudo sysctl iogpu.wired_limit_mb=…',
    },
  },
] as const satisfies readonly ProgramRow[];
