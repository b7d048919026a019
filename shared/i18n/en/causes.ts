/** Each cause by its identifier: what was wrong, as one sentence. */
export const causes = {
  too_small_card_or_batch:
    'The process’s own tensors fill the card: model, batch or input is too big for it.',
  batch_too_large:
    'The card is full of this process’s own tensors, and the batch or the input size is what grows.',
  fragmentation:
    'Enough memory is reserved but unused, and no single piece of it is as large as the request.',
  single_huge_tensor: 'One tensor is nearly as large as the card, or larger.',
  attention_math_fallback:
    'The full attention score matrix is built, because no fused attention kernel was used.',
  logits_peak: 'The logits (sequence times vocabulary) in fp32 and their gradient do not fit at the loss.',
  custom_loss_extra_logits:
    'A loss function of the script keeps a second set of logits or activations for backward.',
  long_sample_spike: 'Training fits, but one unusually long sample or batch does not.',
  dense_sample_spike: 'Training fits, but one image with very many boxes or instances does not.',
  optimizer_state_first_step:
    'The optimizer makes its state in its first step (Adam: twice the parameters), and that does not fit.',
  optimizer_step_peak: 'The temporary tensors of the optimizer’s step do not fit.',
  replicated_model_per_rank: 'Every rank loads the whole model onto its own card instead of a shard.',
  resume_double_state: 'On resume, the loaded state sits on the card beside the live one.',
  checkpoint_save_gather: 'Saving gathers the whole, unsharded state on a card.',
  warmup_peak:
    'The start of a serving engine (profiling, sampler, graph capture) needs more than weights and cache leave.',
  context_overhead:
    'No other process: the CUDA context and the driver’s own share take the small missing part.',
  eval_without_no_grad: 'Validation runs with gradients on, so the graphs of its steps are kept.',
  eval_peak: 'Evaluation itself is right but needs more than training leaves free.',
  eval_logits_accumulation: 'The predictions of all evaluation steps are kept and put together.',
  leak_graph_retained:
    'Losses or outputs are stored without detach, so old graphs stay alive and memory grows.',
  other_process: 'Another process holds most of the missing memory.',
  leftover_process: 'What is left of a dead job still holds the memory.',
  leftover_process_unkillable:
    'What is left of a dead job sits in the kernel or the driver and cannot be ended.',
  sibling_process_same_job: 'Another worker of the same job holds the memory.',
  all_ranks_on_gpu0: 'All ranks put data on card 0.',
  stray_context_gpu0: 'Processes meant for other cards keep a bare CUDA context on card 0.',
  ipc_mapping_holder: 'A living helper process keeps the memory of a dead client mapped (CUDA IPC).',
  desktop_holds_vram: 'The desktop, a browser or other screen programs hold the missing part.',
  dataparallel_gather: 'nn.DataParallel collects outputs and loss on one card, which fills first.',
  free_gt_request: 'By its own numbers the card has room, yet the driver refuses.',
  host_ram_masked: 'The card has room; the driver refuses because host memory is full.',
  windows_commit_limit: 'Windows has used up its limit of RAM plus page file.',
  per_allocation_limit:
    'One buffer is larger than the driver allows in one piece, however much of the card is free.',
  capacity_misreported: 'The runtime sees less memory than the card has.',
  memory_fraction_cap:
    'A limit set in software (per-process memory fraction) is reached, not the card’s end.',
  wddm_sysmem_fallback:
    'The Windows driver has moved GPU memory to host memory; the card was over-full long before it failed.',
  mps_other_allocations: 'On Apple’s MPS, other allocations of the system fill the limit, not tensors.',
  driver_level_oom:
    'The driver, not PyTorch’s allocator, reports out of memory: a context, page-locked memory or another library.',
  pinned_memory: 'Page-locked host memory, or the CUDA context it needs, could not be had.',
  bnb_managed_memory: 'The managed memory that bitsandbytes pages its state with could not be had.',
  masked_cublas: 'Out of memory in disguise: no room to set up cuBLAS or a library like it.',
  masked_cudnn: 'Out of memory in disguise: no room for cuDNN’s handle or workspace.',
  masked_nvml_mig:
    'Out of memory in disguise: the message died because NVML is refused here (MIG, Jetson, container).',
  wrong_device: 'The job runs on another card or slice than was meant.',
  host_ram: 'Main memory, or the limit set for the job, is used up.',
  shm_small: '/dev/shm is too small or full.',
  bus_error_mmap: 'A memory-mapped file is truncated or out of reach; /dev/shm is not the reason.',
  fd_limit: 'Too many open files: each tensor passed between processes needs one.',
  triton_smem:
    'A kernel needs more on-chip memory than this chip has; the card’s own memory is not the matter.',
  nccl_buffers_oom: 'NCCL finds no room on a card for its own buffers.',
  nccl_victim: 'The rank that prints this only waited; another rank or the network failed.',
  nccl_desync:
    'Ranks are at different collectives: uneven batches, work on rank 0 alone, or a frozen machine.',
  nccl_after_oom: 'One rank ran out of memory; the NCCL messages follow from that.',
  garbage_size_after_timeout: 'A nonsense size was asked for, following another failure.',
  exclusive_mode: 'The card is in exclusive compute mode and already has a process.',
  xid_79: 'The card fell off the bus: hardware, power or PCIe.',
  gpu_lost: 'The card no longer answers the driver.',
  ecc: 'The card’s memory has an uncorrectable error.',
  driver_mismatch: 'The driver’s library and its kernel module have different versions.',
} as const;
