import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../../shared/doctor/reader';
import type { Failure } from '../../../../shared/doctor/types';
import { translate } from '../../../../shared/i18n/translate';

function rootOf(text: string): Failure {
  const { failures, rootFailure } = diagnose(text);
  const failure = failures[rootFailure ?? -1];
  if (failure === undefined) throw new Error('no failure found');
  return failure;
}

const useless = ({ notHelpful }: Failure): string[] => notHelpful.map(({ key }) => key);
const fixes = ({ causes }: Failure): string[] => (causes[0]?.fixes ?? []).map(({ text }) => text.key);
const card = (allocated: string, rest: string): string =>
  `torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.15 GiB. GPU 0 has a total capacity of 15.78 GiB of which 1.44 GiB is free. Of the allocated memory ${allocated} GiB is allocated by PyTorch, and ${rest} GiB is reserved by PyTorch but unallocated.`;

describe('advice that does not contradict itself', () => {
  it('does not call the allocator settings useless where fragmentation is among the causes', () => {
    const concat =
      '  File "transformers/trainer.py", line 2515, in evaluation_loop\n    preds_host = nested_concat(preds_host, logits)\n';
    const both = rootOf(`${concat}${card('11.05', '2.05')}`);
    expect(both.causes.slice(0, 2).map(({ cause }) => cause)).toEqual([
      'eval_logits_accumulation',
      'fragmentation',
    ]);
    expect(useless(both)).not.toContain('doctorAdvice.allocatorSettings');
    expect(useless(rootOf(card('14.05', '0.05')))).toContain('doctorAdvice.allocatorSettings');
  });

  it.each([
    'RuntimeError: CUDA error: out of memory',
    'CUDA Error: out of memory at csrc/cumem_allocator.cpp:62',
    'RuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`',
  ])('does not call empty_cache useless where somebody else asks the driver: %s', (text) => {
    expect(useless(rootOf(text))).not.toContain('doctorAdvice.emptyCache');
  });
});

describe('what to do against a kill for main memory', () => {
  const killed =
    'ERROR:torch.distributed.elastic.multiprocessing.api:failed (exitcode: -9) local_rank: 0 (pid: 7)';

  it('begins with how the model is built where it was being loaded', () => {
    expect(
      fixes(rootOf(`Loading checkpoint shards:   0%|          | 0/2 [00:00<?, ?it/s]\n${killed}`))[0],
    ).toBe('doctorFixes.lowCpuMemory');
  });

  it('begins with the checkpoint where it was being saved', () => {
    const text = `100%|██████████| 1200/1200 [1:28:41<00:00,  4.43s/it]\n${killed}`;
    expect(fixes(rootOf(text))[0]).toBe('doctorFixes.shardedCheckpoint');
  });

  it('begins with the workers in the middle of training', () => {
    const text = ` 40%|████      | 480/1200 [1:28:41<00:00,  4.43s/it]\n${killed}`;
    expect(fixes(rootOf(text))[0]).toBe('doctorFixes.fewerWorkers');
  });
});

describe('what the frames of a failure tell', () => {
  it('is a resume where a checkpoint is restored under other names', () => {
    const frames =
      '  File "trainer.py", line 342, in restore_model\n    self.optimizer.load_opt_state(path)\n  File "utils.py", line 596, in load_opt_state\n    checkpoint = th.load(os.path.join(path, "optimizers.bin"))\n  File "torch/serialization.py", line 1131, in _load\n';
    const text = `${frames}torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.91 GiB (GPU 0; 14.76 GiB total capacity; 12.41 GiB already allocated; 1.02 GiB free; 12.78 GiB reserved in total by PyTorch)`;
    expect(rootOf(text).causes[0]?.cause).toBe('resume_double_state');
  });

  it('is the library’s own loss, wherever the library stands', () => {
    const text = `  File "/home/user/src/transformers/loss/loss_utils.py", line 54, in ForCausalLMLoss\n    logits = logits.float()\n${card('13.05', '0.15')}`;
    expect(rootOf(text).causes.map(({ cause }) => cause)).not.toContain('custom_loss_extra_logits');
    expect(rootOf(text).causes[0]?.cause).toBe('logits_peak');
  });
});

describe('who holds the missing part', () => {
  it('is told where the request would fit with what others hold and what is free together', () => {
    const failure = rootOf(
      'torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 30.00 GiB (GPU 0; 79.25 GiB total capacity; 27.98 GiB already allocated; 24.10 GiB free; 31.90 GiB reserved in total by PyTorch)',
    );
    expect(failure.causes[0]).toMatchObject({ cause: 'other_process', confidence: 0.5 });
  });
});

describe('unused reserve', () => {
  it.each([
    ['2.25', 'doctorEvidence.unallocatedEnough'],
    ['1.98', 'doctorEvidence.unallocatedWithFree'],
  ])('is called enough alone only where it is: %s GiB', (unused, key) => {
    const cause = rootOf(card('9.05', unused)).causes[0];
    expect(cause?.cause).toBe('fragmentation');
    expect(cause?.evidence[0]?.key).toBe(key);
  });
});

/** The line to copy of the first thing to do. */
const firstSetting = ({ causes }: Failure): string | null => causes[0]?.fixes[0]?.setting ?? null;

describe('what to do first, in the words of whoever failed', () => {
  it.each([
    // The message itself asks for more; less would make it worse.
    [
      'RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.',
      '--mem-fraction-static 0.92',
    ],
    [
      'RuntimeError: alloc_req_slots runs out of memory. Please set a smaller number for `--max-running-requests`.',
      '--max-running-requests 32 --chunked-prefill-size 2048',
    ],
    // ollama runs llama.cpp, and has words of its own.
    [
      'Sep 02 11:20:19 box ollama[4242]: ROCm error: out of memory\nSep 02 11:20:19 box ollama[4242]:   current device: 0, in function alloc at ggml-cuda.cu:420',
      '/set parameter num_ctx 4096',
    ],
    ['c++: fatal error: Killed signal terminated program cc1plus', 'MAX_JOBS=2'],
    // Who was told of a limit can have it raised.
    ['=>> PBS: job killed: mem 34603008kb exceeded limit 33554432kb', '#PBS -l select=1:mem=…gb'],
    ['slurmstepd: error: Detected 1 oom-kill event(s) in StepId=14604003.0 cgroup.', '#SBATCH --mem=…G'],
  ])('%s', (text, setting) => {
    expect(firstSetting(rootOf(text))).toBe(setting);
  });

  it('asks a cut message of a card for less on the card, and not for host memory', () => {
    const cut = rootOf(
      'Traceback (most recent call last):\n  File "train.py", line 4, in <module>\n    main()\nRuntimeError: HIP error: out of mem',
    );
    expect([cut.kind, fixes(cut)[0]]).toEqual(['oom', 'doctorFixes.smallerMicroBatch']);
  });
});

describe('the two lines that record who held the memory', () => {
  const snapshotLines = (text: string): string[] =>
    rootOf(text)
      .missing.map((missing) => translate('en', missing))
      .filter((line) => line.includes('_record_memory_history'));

  it('are named where PyTorch’s allocator of 2.1 and later ran out in a training', () => {
    const [line] = snapshotLines(card('14.05', '0.05'));
    expect(line).toContain('torch.cuda.memory._record_memory_history(max_entries=200000)');
    expect(line).toContain('torch.cuda.memory._dump_snapshot("snapshot.pickle")');
    expect(snapshotLines(card('14.05', '0.05').replace('CUDA', 'HIP'))).toHaveLength(1);
  });

  it.each([
    [
      'a PyTorch that has no recorder',
      'RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 0; 8.00 GiB total capacity; 6.10 GiB already allocated; 1.10 GiB free; 6.20 GiB reserved in total by PyTorch)',
    ],
    [
      'a card of Intel',
      'torch.OutOfMemoryError: XPU out of memory. Tried to allocate 64.00 GiB. GPU 0 has a total capacity of 64.00 GiB of which 10.00 GiB is free. Of the allocated memory 50.00 GiB is allocated by PyTorch, and 1.00 GiB is reserved by PyTorch but unallocated.',
    ],
    ['the driver, which records nothing', 'RuntimeError: CUDA error: out of memory'],
    ['a server', `INFO vllm engine.py:10 starting\nfrom vllm import LLM\n${card('14.05', '0.05')}`],
  ])('are not named for %s', (_whom, text) => expect(snapshotLines(text)).toEqual([]));
});
