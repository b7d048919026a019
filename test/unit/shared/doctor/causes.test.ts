import { describe, expect, it } from 'vitest';
import { causeKinds, causeTags, type CauseTag } from '../../../../shared/doctor/causes';
import { diagnose } from '../../../../shared/doctor/reader';
import type { Failure } from '../../../../shared/doctor/types';
import { translate } from '../../../../shared/i18n/translate';

/** A card's message with these numbers, as PyTorch 2.5 prints it. */
function oom(numbers: {
  tried: string;
  capacity: string;
  free: string;
  allocated: string;
  unallocated?: string;
  gpu?: number;
  more?: string;
}): string {
  const { tried, capacity, free, allocated, unallocated = '60.00 MiB', gpu = 0, more = '' } = numbers;
  return `torch.OutOfMemoryError: CUDA out of memory. Tried to allocate ${tried}. GPU ${gpu} has a total capacity of ${capacity} of which ${free} is free. ${more}Of the allocated memory ${allocated} is allocated by PyTorch, and ${unallocated} is reserved by PyTorch but unallocated.`;
}

const full = oom({ tried: '128.00 MiB', capacity: '23.65 GiB', free: '40.00 MiB', allocated: '22.60 GiB' });
const frame = (file: string, line: number, name: string, code: string): string =>
  `  File "${file}", line ${line}, in ${name}\n    ${code}`;
const traceback = (...frames: readonly string[]): string =>
  ['Traceback (most recent call last):', ...frames].join('\n');
const torch = '/env/lib/python3.11/site-packages/torch';

/** One text for each cause, made from its definition, its signs and nothing else. */
const texts: Readonly<Record<CauseTag, string>> = {
  too_small_card_or_batch: full,
  batch_too_large: `  1%|1         | 3/352 [00:12<25:10, 4.19s/it]\n${traceback(frame('train.py', 8, 'main', 'loss.backward()'))}\n${full}`,
  fragmentation: oom({
    tried: '6.00 GiB',
    capacity: '39.39 GiB',
    free: '2.10 GiB',
    allocated: '24.00 GiB',
    unallocated: '12.20 GiB',
  }),
  single_huge_tensor: oom({
    tried: '61.00 GiB',
    capacity: '39.39 GiB',
    free: '37.00 GiB',
    allocated: '1.20 GiB',
  }),
  attention_math_fallback: `${traceback(frame(`${torch}/nn/functional.py`, 5504, 'multi_head_attention_forward', 'attn_output = scaled_dot_product_attention(q, k, v)'))}\n${oom({ tried: '30.00 GiB', capacity: '39.39 GiB', free: '27.00 GiB', allocated: '11.20 GiB' })}`,
  logits_peak: `${traceback(frame('/env/lib/python3.11/site-packages/transformers/loss/loss_utils.py', 47, 'ForCausalLMLoss', 'logits = logits.float()'))}\n${oom({ tried: '7.83 GiB', capacity: '39.39 GiB', free: '3.00 GiB', allocated: '35.00 GiB' })}`,
  custom_loss_extra_logits: `${traceback(frame('/home/user/project/trainer.py', 88, 'compute_loss', 'kept = outputs.hidden.softmax(-1)'))}\n${oom({ tried: '2.00 GiB', capacity: '79.10 GiB', free: '1.00 GiB', allocated: '50.00 GiB', unallocated: '900.00 MiB', more: 'Including non-PyTorch memory, this process has 51.40 GiB memory in use. Process 41 has 26.60 GiB memory in use. ' })}`,
  long_sample_spike: `2022-07-03 12:41:17 - INFO: epoch 001:  11125 / 140589 loss=5.185\nRuntimeError: CUDA out of memory. Tried to allocate 2.16 GiB (GPU 3; 39.59 GiB total capacity; 36.44 GiB already allocated; 1.19 GiB free; 37.90 GiB reserved in total by PyTorch)\nWARNING: attempting to recover from OOM in forward/backward pass`,
  dense_sample_spike: `${traceback(frame('/env/lib/python3.11/site-packages/ultralytics/utils/tal.py', 71, 'forward', 'mask_pos, align_metric, overlaps = self.get_pos_mask(pd_scores)'))}\n${oom({ tried: '1.20 GiB', capacity: '14.75 GiB', free: '800.00 MiB', allocated: '11.00 GiB' })}`,
  optimizer_state_first_step: `  0%|          | 0/112 [00:00<?, ?it/s]\n${traceback(frame('train.py', 40, 'main', 'optimizer.step()'), frame(`${torch}/optim/adamw.py`, 130, '_init_group', 'state["exp_avg"] = torch.zeros_like(p, memory_format=torch.preserve_format)'))}\n${full}`,
  optimizer_step_peak: ` 30%|###       | 34/112 [00:40<?, ?it/s]\n${traceback(frame('train.py', 40, 'main', 'optimizer.step()'), frame(`${torch}/optim/adamw.py`, 606, '_multi_tensor_adamw', 'exp_avg_sq_sqrt = torch._foreach_sqrt(device_exp_avg_sqs)'))}\n${full}`,
  replicated_model_per_rank: `[rank2]: ${frame('/home/user/loader.py', 152, 'load_model', 'model = AutoModelForCausalLM.from_pretrained(**init_kwargs)').replace('\n', '\n[rank2]: ')}\n[rank2]: ${oom({ tried: '270.00 MiB', capacity: '23.65 GiB', free: '208.06 MiB', allocated: '22.87 GiB', gpu: 2 })}`,
  resume_double_state: `Resuming training from out/checkpoint-500\n${traceback(frame(`${torch}/optim/optimizer.py`, 734, 'load_state_dict', 'state_dict = deepcopy(state_dict)'))}\n${full}`,
  checkpoint_save_gather: `${traceback(frame('train.py', 90, 'save', 'state = model.state_dict()'), frame(`${torch}/distributed/fsdp/_state_dict_utils.py`, 303, '_full_pre_state_dict_hook', '_common_unshard_pre_state_dict_hook('))}\n${full}`,
  warmup_peak:
    'RuntimeError: CUDA out of memory occurred when warming up sampler with 1024 dummy requests. Please try lowering `max_num_seqs` or `gpu_memory_utilization` when initializing the engine.',
  context_overhead:
    'ValueError: Free memory on device cuda:0 (21.02/22.05 GiB) on startup is less than desired GPU memory utilization (0.955, 21.06 GiB).',
  eval_without_no_grad: `100%|#| 32/32 [00:41<00:00, 2.39s/it]\nEpoch (valid):   3% 1/32 [00:01<00:46,  1.50s/it]\nRuntimeError: CUDA error: out of memory`,
  eval_peak: `***** Running Evaluation *****\n${full}`,
  eval_logits_accumulation: `${traceback(frame('/env/transformers/trainer.py', 2515, 'evaluation_loop', 'preds_host = nested_concat(preds_host, logits, padding_index=-100)'))}\n${full}`,
  leak_graph_retained: `${[10.2, 11.0, 11.9, 12.8, 13.9, 14.8, 15.7].map((gib, step) => `step ${step * 100} loss 2.${step} memory ${gib} GiB`).join('\n')}\nRuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 15.90 GiB total capacity; 15.10 GiB already allocated; 10.00 MiB free; 15.20 GiB reserved in total by PyTorch)`,
  other_process: oom({
    tried: '2.00 GiB',
    capacity: '23.65 GiB',
    free: '300.00 MiB',
    allocated: '4.00 GiB',
    gpu: 1,
    more: 'Process 851 has 18.80 GiB memory in use. Including non-PyTorch memory, this process has 4.50 GiB memory in use. ',
  }),
  leftover_process: `The previous run was killed, its workers are orphans.\n${oom({ tried: '2.00 GiB', capacity: '23.65 GiB', free: '300.00 MiB', allocated: '1.00 GiB', gpu: 1, more: 'Process 851 has 21.80 GiB memory in use. Including non-PyTorch memory, this process has 1.50 GiB memory in use. ' })}`,
  leftover_process_unkillable:
    '    PID  PPID STAT CMD\n  77637     1 D    python train.py\n  [<0>] uvm_spin_loop+0xb4/0x100 [nvidia_uvm]',
  sibling_process_same_job: `(RayWorkerWrapper pid=4009) ${oom({ tried: '2.00 GiB', capacity: '23.65 GiB', free: '300.00 MiB', allocated: '4.00 GiB', gpu: 1, more: 'Process 851 has 18.80 GiB memory in use. Including non-PyTorch memory, this process has 4.50 GiB memory in use. ' })}`,
  all_ranks_on_gpu0: `${traceback(frame(`${torch}/serialization.py`, 99, '_cuda_deserialize', 'return storage_type(obj.size())'))}\nRuntimeError: CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0; 11.17 GiB total capacity; 962.69 MiB already allocated; 17.19 MiB free; 1002.00 MiB reserved in total by PyTorch)`,
  stray_context_gpu0:
    '|    0   N/A  N/A      4101      C   python                        22010MiB |\n|    0   N/A  N/A      4102      C   python                          518MiB |\n|    1   N/A  N/A      4102      C   python                        22010MiB |',
  ipc_mapping_holder:
    'lmcache server is running on all cards\nValueError: Free memory on device cuda:5 (65.75/178.35 GiB) on startup is less than desired GPU memory utilization (0.85, 151.6 GiB).',
  desktop_holds_vram: `|    0   N/A  N/A      1900      G   /usr/lib/xorg/Xorg             2210MiB |\n${oom({ tried: '1.00 GiB', capacity: '11.76 GiB', free: '100.00 MiB', allocated: '8.30 GiB' })}`,
  dataparallel_gather: `${traceback(frame(`${torch}/nn/parallel/data_parallel.py`, 168, 'gather', 'return gather(outputs, output_device, dim=self.dim)'))}\n${full}`,
  free_gt_request: oom({
    tried: '20.00 MiB',
    capacity: '31.73 GiB',
    free: '12.35 GiB',
    allocated: '10.00 GiB',
  }),
  host_ram_masked: oom({
    tried: '20.00 MiB',
    capacity: '31.73 GiB',
    free: '12.35 GiB',
    allocated: '10.00 GiB',
  }),
  windows_commit_limit:
    'OSError: [WinError 1455] Die Auslagerungsdatei ist zu klein. Error loading "C:\\env\\torch\\lib\\shm.dll" or one of its dependencies.',
  per_allocation_limit:
    'torch.OutOfMemoryError: XPU out of memory. Tried to allocate 4.50 GiB. GPU 0 has a total capacity of 15.11 GiB. Of the allocated memory 0 bytes is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated.',
  capacity_misreported: `${oom({ tried: '16.00 GiB', capacity: '15.24 GiB', free: '15.09 GiB', allocated: '0 bytes' })}\n[    4.97] amdgpu 0000:c5:00.0: amdgpu: VRAM: 98304M 0x0000008000000000 (98304M used)`,
  memory_fraction_cap: oom({
    tried: '1.00 GiB',
    capacity: '139.80 GiB',
    free: '130.00 GiB',
    allocated: '7.90 GiB',
    more: '8.00 GiB allowed; ',
  }),
  wddm_sysmem_fallback: oom({
    tried: '1002.00 MiB',
    capacity: '8.00 GiB',
    free: '0 bytes',
    allocated: '13.98 GiB',
  }),
  mps_other_allocations:
    'MPS backend out of memory (MPS allocated: 4.57 GiB, other allocations: 12.35 GiB, max allowed: 18.13 GiB). Tried to allocate 292.50 MiB on private pool.',
  driver_level_oom:
    "torch.AcceleratorError: CUDA error: out of memory\nSearch for `cudaErrorMemoryAllocation' in the documentation for more information.",
  pinned_memory: 'RuntimeError: Caught RuntimeError in pin memory thread for device 0.',
  bnb_managed_memory:
    'Error out of memory at line 380 in file /home/user/bitsandbytes/csrc/pythonInterface.c',
  masked_cublas: 'RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`',
  masked_cudnn: 'RuntimeError: cuDNN error: CUDNN_STATUS_NOT_INITIALIZED',
  masked_nvml_mig:
    'RuntimeError: NVML_SUCCESS == r INTERNAL ASSERT FAILED at "../c10/cuda/CUDACachingAllocator.cpp":1015, please report a bug to PyTorch.',
  wrong_device:
    'CUDA_VISIBLE_DEVICES=MIG-1\nRuntimeError: NVML_SUCCESS == r INTERNAL ASSERT FAILED at "../c10/cuda/CUDACachingAllocator.cpp":995, please report a bug to PyTorch.',
  host_ram:
    'Memory cgroup out of memory: Killed process 629 (python) total-vm:14119556kB, anon-rss:6538204kB, file-rss:80652kB',
  shm_small: 'RuntimeError: unable to write to file </torch_739_144252761_4>: No space left on device (28)',
  bus_error_mmap:
    'opened train.lmdb read-only\nRuntimeError: DataLoader worker (pid 47) is killed by signal: Bus error.',
  fd_limit: 'OSError: [Errno 24] Too many open files',
  triton_smem:
    'triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 81920, Hardware limit: 65536.',
  nccl_buffers_oom: "node:3018451:3018451 [0] enqueue.cc:1085 NCCL WARN Cuda failure 'out of memory'",
  nccl_victim:
    '[E ProcessGroupNCCL.cpp:455] NCCL error: remote process exited or there was a network error, NCCL version 2.14.3',
  nccl_desync:
    '[Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=96120, OpType=ALLREDUCE, Timeout(ms)=1800000) ran for 25624887 milliseconds before timing out.\n[Rank 7] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=64088, OpType=ALLREDUCE, Timeout(ms)=1800000) ran for 25625251 milliseconds before timing out.',
  nccl_after_oom: `[rank1]: ${full}\n[rank0]: [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=5, OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600037 milliseconds before timing out.`,
  garbage_size_after_timeout:
    'torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate more than 1EB memory.',
  exclusive_mode: 'RuntimeError: CUDA error: all CUDA-capable devices are busy or unavailable',
  xid_79: 'kernel: [14282.651831] NVRM: Xid (PCI:0000:03:00): 79, pid=4101, GPU has fallen off the bus.',
  gpu_lost: 'Unable to determine the device handle for GPU0000:03:00.0: Unknown Error',
  ecc: 'RuntimeError: CUDA error: uncorrectable ECC error encountered',
  driver_mismatch: 'Failed to initialize NVML: Driver/library version mismatch',
};

/** Where a rival is as right from the text alone, and likelier (causes.md, groups and rivals). */
const notFirst: ReadonlySet<CauseTag> = new Set([
  'custom_loss_extra_logits',
  'eval_peak',
  'leftover_process',
  'sibling_process_same_job',
  'ipc_mapping_holder',
  'host_ram_masked',
  'wrong_device',
  'nccl_after_oom',
]);

function namedBy(cause: CauseTag): { failure: Failure; place: number } {
  const { failures, rootFailure } = diagnose(texts[cause]);
  // What follows from another failure is not the root; its cause is looked for in its own failure.
  const failure = cause === 'nccl_after_oom' ? failures.at(-1) : failures[rootFailure ?? 0];
  if (failure === undefined) throw new Error(`no failure in the text for ${cause}`);
  return { failure, place: failure.causes.findIndex((named) => named.cause === cause) };
}

describe('causes', () => {
  it.each(causeTags)('names %s where its signs are', (cause) => {
    const { failure, place } = namedBy(cause);
    expect(place, JSON.stringify(failure.causes.map((named) => named.cause))).toBeGreaterThanOrEqual(0);
    if (!notFirst.has(cause)) expect(failure.causes[0]?.cause).toBe(cause);
  });

  it.each(causeTags)('gives evidence and fixes for %s in both languages', (cause) => {
    const { failure, place } = namedBy(cause);
    const named = failure.causes[place];
    expect(named?.confidence).toBeGreaterThan(0);
    expect(named?.confidence).toBeLessThanOrEqual(1);
    expect(named?.evidence.length).toBeGreaterThan(0);
    expect(named?.fixes.length).toBeGreaterThan(0);
    for (const text of [...(named?.evidence ?? []), ...(named?.fixes ?? [])])
      for (const locale of ['en', 'zh-CN'] as const) {
        const words = translate(locale, text);
        expect(words).not.toMatch(/\{\w+(?::\w+)?\}/);
        expect(words).not.toBe(text.key);
      }
  });

  it('takes the kind of a failure from its first cause', () => {
    for (const cause of causeTags) {
      const { failure } = namedBy(cause);
      const [first] = failure.causes;
      expect(failure.kind).toBe(first === undefined ? failure.kind : causeKinds[first.cause]);
    }
  });
});

describe('fixes', () => {
  const settings = (text: string): string[] => {
    const { failures, rootFailure } = diagnose(text);
    return (failures[rootFailure ?? 0]?.causes[0]?.fixes ?? []).flatMap(({ values }) =>
      typeof values['setting'] === 'string' ? [values['setting']] : [],
    );
  };

  it('name the variable of the build that printed the message', () => {
    const fragmented = (hint: string) =>
      `${oom({ tried: '6.00 GiB', capacity: '39.39 GiB', free: '2.10 GiB', allocated: '24.00 GiB', unallocated: '12.20 GiB' })} If reserved but unallocated memory is large try setting ${hint}=expandable_segments:True to avoid fragmentation.`;
    expect(settings(fragmented('PYTORCH_CUDA_ALLOC_CONF'))[0]).toBe(
      'PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True',
    );
    expect(settings(fragmented('PYTORCH_ALLOC_CONF'))[0]).toBe('PYTORCH_ALLOC_CONF=expandable_segments:True');
    const old =
      'RuntimeError: CUDA out of memory. Tried to allocate 1.86 GiB (GPU 0; 31.72 GiB total capacity; 24.58 GiB already allocated; 1.28 GiB free; 30.00 GiB reserved in total by PyTorch)';
    expect(settings(old)[0]).toBe('PYTORCH_CUDA_ALLOC_CONF=max_split_size_mb:256');
  });

  it('ask a serving engine for what was free', () => {
    expect(
      settings(
        'ValueError: Free memory on device cuda:0 (21.02/22.05 GiB) on startup is less than desired GPU memory utilization (0.955, 21.06 GiB).',
      )[0],
    ).toBe('--gpu-memory-utilization 0.93');
  });

  it('lead to another card than the one that failed', () => {
    expect(settings(texts.other_process)).toContain('CUDA_VISIBLE_DEVICES=0');
    expect(settings(texts.other_process.replaceAll('GPU 1 ', 'GPU 0 '))).toContain('CUDA_VISIBLE_DEVICES=1');
  });

  it('never tell to end the process that is this job', () => {
    const self = oom({
      tried: '2.00 GiB',
      capacity: '23.65 GiB',
      free: '300.00 MiB',
      allocated: '22.00 GiB',
      more: 'Process 4711 has 22.60 GiB memory in use. ',
    });
    const [failure] = diagnose(self).failures;
    expect(failure?.notHelpful[0]).toEqual({ key: 'doctorAdvice.killSelf', values: { pid: '4711' } });
    expect(failure?.causes.map(({ cause }) => cause)).not.toContain('other_process');
  });
});
