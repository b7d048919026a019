import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../../shared/doctor/reader';
import type { Failure } from '../../../../shared/doctor/types';

function rootOf(text: string): Failure | undefined {
  const { failures, rootFailure } = diagnose(text);
  return failures[rootFailure ?? -1];
}

/** The ends of runs that no cause of the list fits: each with its format and what is said of it. */
const ends: readonly (readonly [string, string, string])[] = [
  [
    'RuntimeError: The server socket has failed to listen on any local network address. port: 29500, useIpv6: 0, code: -98, name: EADDRINUSE',
    'port-in-use',
    'portInUse',
  ],
  ['RuntimeError: Address already in use', 'port-in-use', 'portInUse'],
  [
    '加载失败: CUDA error: no kernel image is available for execution on the device',
    'no-kernel-image',
    'noKernelImage',
  ],
  [
    'RuntimeError: The NVIDIA driver on your system is too old (found version 11040).',
    'driver-too-old',
    'driverTooOld',
  ],
  [
    'RuntimeError: Unexpected error from cudaGetDeviceCount(). Error 802: system not yet initialized',
    'fabric-not-ready',
    'fabricNotReady',
  ],
  ['AssertionError: Torch not compiled with CUDA enabled', 'cpu-only-build', 'cpuOnlyBuild'],
  ['RuntimeError: CUDA error: invalid device ordinal', 'card-not-visible', 'cardNotVisible'],
  [
    'RuntimeError: device >= 0 && device < num_gpus INTERNAL ASSERT FAILED at "CUDAContext.cpp":50, please report a bug to PyTorch.',
    'card-not-visible',
    'cardNotVisible',
  ],
  [
    'RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU',
    'no-driver',
    'noDriver',
  ],
  [
    '[rank1]: RuntimeError: Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cuda:1!',
    'two-devices',
    'twoDevices',
  ],
  ['RuntimeError: expected scalar type Half but found Float', 'types-differ', 'typesDiffer'],
  [
    'ERROR 训练失败: mat1 and mat2 shapes cannot be multiplied (4x512 and 768x2)',
    'shapes-differ',
    'shapesDiffer',
  ],
  [
    'RuntimeError: Error(s) in loading state_dict for Net:\n\tsize mismatch for head.weight',
    'state-dict-differs',
    'stateDictDiffers',
  ],
  [
    '[rank1]: RuntimeError: Expected to have finished reduction in the prior iteration before starting a new one. This error indicates that your module has parameters that were not used',
    'ddp-unused-parameters',
    'unusedParameters',
  ],
  [
    'Exception: Current loss scale already at minimum - cannot decrease scale anymore.',
    'not-finite',
    'notFinite',
  ],
  ['ValueError: Attempting to unscale FP16 gradients.', 'scaler-on-fp16-weights', 'scalerOnFp16Weights'],
  ['huggingface_hub.errors.GatedRepoError: 401 Client Error.', 'hub-no-access', 'hubNoAccess'],
  [
    "OSError: We couldn't connect to 'https://huggingface.co' to load this file",
    'hub-not-reached',
    'hubNotReached',
  ],
  ["OSError: [Errno 28] No space left on device: 'out/checkpoint-50'", 'disk-full', 'diskFull'],
  ['OSError: [Errno 122] Disk quota exceeded', 'disk-full', 'diskFull'],
  ['RuntimeError: Cannot re-initialize CUDA in forked subprocess.', 'cuda-after-fork', 'cudaAfterFork'],
  [
    'RuntimeError:\n        An attempt has been made to start a new process before the\n        current process has finished its bootstrapping phase.',
    'no-main-guard',
    'noMainGuard',
  ],
  [
    'AttributeError: bitsandbytes/libbitsandbytes_cpu.so: undefined symbol: cget_col_row_stats',
    'bitsandbytes-without-cuda',
    'bitsandbytesWithoutCuda',
  ],
  ['RuntimeError: cuDNN error: CUDNN_STATUS_EXECUTION_FAILED', 'library-call-failed', 'libraryCallFailed'],
  [
    'torch.distributed.DistBackendError: NCCL error in: NCCLUtils.hpp:317, unhandled system error, NCCL version 2.21.5',
    'nccl-system-error',
    'ncclSystemError',
  ],
  [
    'ncclInvalidUsage: This usually reflects invalid usage of NCCL library.',
    'nccl-call-refused',
    'ncclCallRefused',
  ],
  [
    "ncclUnhandledCudaError: Call to CUDA function failed.\nLast error:\nCuda failure 'invalid argument'",
    'nccl-unhandled-cuda-error',
    'ncclCudaFailure',
  ],
  [
    'torch.distributed.DistStoreError: Timed out after 901 seconds waiting for clients. 1/2 clients joined.',
    'rendezvous-timeout',
    'rendezvousTimeout',
  ],
  [
    'slurmstepd: error: *** STEP 44.0 ON gpu07 CANCELLED AT 2026-04-20T09:09:37 DUE TO TIME LIMIT ***\nsrun: error: gpu07: tasks 0-3: Killed',
    'slurm-cancelled',
    'timeLimit',
  ],
  [
    'slurmstepd: error: *** JOB 44 ON gpu07 CANCELLED AT 2026-04-20T09:09:37 DUE TO PREEMPTION ***',
    'slurm-cancelled',
    'preempted',
  ],
  [
    'slurmstepd: error: *** JOB 44 ON gpu07 CANCELLED AT 2026-04-20T09:09:37 ***',
    'slurm-cancelled',
    'cancelled',
  ],
  ['Process finished with exit code -1073741819 (0xC0000005)', 'crashed', 'crashed'],
  [
    "subprocess.CalledProcessError: Command '['train.py']' returned non-zero exit status 3221225477.",
    'crashed',
    'crashed',
  ],
  ['api.py:826] failed (exitcode: -11) local_rank: 0 (pid: 3341) of binary: python3', 'crashed', 'crashed'],
  [
    'RuntimeError: DataLoader worker (pid 25902) is killed by signal: Segmentation fault.',
    'crashed',
    'crashed',
  ],
  [
    'Traceback (most recent call last):\n  File "a.py", line 3, in f\n    g()\nKeyboardInterrupt',
    'interrupted',
    'interrupted',
  ],
  [
    'torch.distributed.elastic.multiprocessing.api.SignalException: Process 4096 got signal: 15',
    'interrupted',
    'interrupted',
  ],
  ["ModuleNotFoundError: No module named 'flash_attn'", 'import-failed', 'importFailed'],
  ["PermissionError: [Errno 13] Permission denied: '/data/cache'", 'not-permitted', 'notPermitted'],
  ["FileNotFoundError: [Errno 2] No such file or directory: 'data.json'", 'file-missing', 'fileMissing'],
  ['  exitcode  : 1 (pid: 20611)\n  error_file: <N/A>', 'worker-failed', 'workerFailed'],
  ["ValueError: Target modules {'q'} not found in the base model.", 'python-error', 'pythonError'],
  [
    'NVRM: Xid (PCI:0000:65:00): 31, pid=4101, name=python, Ch 00000008, intr 10000000. MMU Fault',
    'Xid',
    'xidOfProgram',
  ],
  [
    'NVRM: Xid (PCI:0000:01:00): 109, pid=4124, name=python, errorString CTX SWITCH TIMEOUT',
    'Xid',
    'xidOther',
  ],
];

describe('errors that are no matter of memory', () => {
  it.each(ends)('%s', (text, format, meaning) => {
    const failure = rootOf(text);
    expect(failure?.format).toBe(format);
    expect(failure?.causes).toEqual([]);
    expect(failure?.meaning?.key).toBe(`doctorMeaning.${meaning}`);
  });

  it.each([
    'unspecified launch failure',
    'an illegal memory access was encountered',
    'device-side assert triggered',
    'the launch timed out and was terminated',
  ])('a broken kernel in the words of old and other frameworks: %s', (what) => {
    for (const text of [
      `RuntimeError: cuda runtime error (4) : ${what} at THCStorage.c:182`,
      `THCudaCheck FAIL file=THCTensorCopy.cpp line=21 error=6 : ${what}`,
      `OSError: (External) CUDA error(719), ${what}.`,
    ])
      expect(rootOf(text)).toMatchObject({
        format: 'CUDA-broken-kernel',
        causes: [],
        meaning: { key: 'doctorMeaning.brokenKernel' },
      });
  });

  it('says nothing of memory where a handle could not be made after a kernel broke', () => {
    const { failures, rootFailure } = diagnose(
      'Indexing.cu:699: indexSelectLargeIndex: block: [153,0,0], thread: [28,0,0] Assertion `srcIndex < srcSelectDimSize` failed.\nRuntimeError: CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`',
    );
    expect(failures[rootFailure ?? -1]?.format).toBe('CUDA-broken-kernel');
    expect(failures.flatMap(({ causes }) => causes.map(({ cause }) => cause))).not.toContain('masked_cublas');
  });

  it('knows a handle that cuBLAS could not make by the call, whatever the status', () => {
    const text = 'RuntimeError: CUDA error: CUBLAS_STATUS_INTERNAL_ERROR when calling `cublasCreate(handle)`';
    expect(rootOf(text)?.causes[0]?.cause).toBe('masked_cublas');
  });

  it.each([
    'UserWarning: CUDA initialization: The NVIDIA driver on your system is too old (found version 9010).',
    'UserWarning: CUDA initialization: Found no NVIDIA driver on your system. Please check',
    '[W socket.cpp:426] [c10d] The server socket has failed to bind to [::]:29500 (errno: 98 - Address already in use).',
    '# RuntimeError: expected scalar type Half but found Float',
    'retrying: LocalEntryNotFoundError was raised once',
    'huggingface/tokenizers: The current process just got forked, after parallelism has already been used.',
    'except FileNotFoundError: pass  # [Errno 2]',
  ])('is not: %s', (line) => {
    expect(diagnose(`step 1 loss 2.1\n${line}\nstep 2 loss 2.0\n`).failures).toEqual([]);
  });
});

const traceback = (...last: readonly string[]): string[] => [
  'Traceback (most recent call last):',
  '  File "train.py", line 80, in main',
  '    loss = model(batch)',
  ...last,
];
const ofRank = (rank: number, lines: readonly string[]): string[] =>
  lines.map((line) => `[rank${rank}]: ${line}`);
const watchdog =
  '[rank0]:[E ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=2114, OpType=ALLREDUCE, NumelIn=1, NumelOut=8, Timeout(ms)=600000) ran for 600012 milliseconds before timing out.';
const killed =
  'E0902 00:42:54.953000 7 torch/distributed/elastic/multiprocessing/api.py:833] failed (exitcode: -9) local_rank: 2 (pid: 3787) of binary: python';

describe('the last error of a program', () => {
  it('is told where nothing else explains the end, with its line and its rank', () => {
    const text = [...ofRank(1, traceback("KeyError: 'labels'")), watchdog].join('\n');
    expect(rootOf(text)).toMatchObject({ format: 'python-error', line: 4, rank: 1, role: 'cause' });
  });

  it('is what C++ threw, where the process ended there', () => {
    const text = [
      "terminate called after throwing an instance of 'c10::Error'",
      '  what():  Trying to create tensor with negative dimension -2036932816: [-2036932816, 32766]',
      'Exception raised from check_size_nonnegative at EmptyTensor.h:15 (most recent call first):',
      'frame #0: c10::Error::Error(c10::SourceLocation) + 0x6b (0x7f52 in libc10.so)',
    ].join('\n');
    expect(rootOf(text)).toMatchObject({ format: 'python-error', line: 2, causes: [] });
  });

  it('is the first of a chain', () => {
    const text = [
      ...traceback("KeyError: 'input_ids'"),
      '',
      'During handling of the above exception, another exception occurred:',
      '',
      ...traceback('RuntimeError: could not prepare'),
    ].join('\n');
    expect(rootOf(text)).toMatchObject({ line: 4, excerpt: "KeyError: 'input_ids'" });
  });

  it('comes before the ranks that a launcher killed then, and lowers what their end says of main memory', () => {
    const { failures, rootFailure } = diagnose(
      [...ofRank(0, traceback('RuntimeError: expected scalar type Half but found Float')), killed].join('\n'),
    );
    expect(failures[rootFailure ?? -1]).toMatchObject({ format: 'types-differ', rank: 0 });
    expect(failures[1]?.causes).toMatchObject([{ cause: 'host_ram', confidence: 0.3 }]);
  });

  it('gives way to a failure of memory', () => {
    const oom =
      'RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB (GPU 1; 7.79 GiB total capacity; 6.53 GiB already allocated; 1.00 GiB free; 6.60 GiB reserved in total by PyTorch)';
    const text = [...traceback("PermissionError: [Errno 13] Permission denied: 'x'"), ...traceback(oom)];
    const { failures } = diagnose(text.join('\n'));
    expect(failures.map(({ format }) => format)).toEqual(['P3-reserved']);
  });

  it('is not one that was handled', () => {
    const text = [
      ...traceback('requests.exceptions.ConnectionError: timed out'),
      "{'loss': 1.93, 'grad_norm': 0.4, 'epoch': 0.1}",
    ].join('\n');
    expect(diagnose(text).failures).toEqual([]);
  });

  it('is not the launcher’s, where a rank said its own', () => {
    const text = [
      ...ofRank(3, traceback('ValueError: bad sample')),
      'Traceback (most recent call last):',
      '  File "lib/torch/distributed/run.py", line 892, in run',
      '    elastic_launch(',
      'torch.distributed.elastic.multiprocessing.errors.ChildFailedError:',
    ].join('\n');
    expect(rootOf(text)).toMatchObject({ format: 'python-error', rank: 3, line: 4 });
  });

  it('is read in a notebook’s form', () => {
    const text = [
      '---------------------------------------------------------------------------',
      'ValueError                                Traceback (most recent call last)',
      'Cell In[12], line 1',
      '----> 1 trainer.train()',
      '',
      'File ~/lib/transformers/trainer.py:2241, in Trainer.train(self)',
      '   2239     prepare()',
      '-> 2241     return loop(',
      '',
      'ValueError: Unable to create tensor',
    ].join('\n');
    expect(rootOf(text)).toMatchObject({ format: 'python-error', line: 10 });
  });
});

describe('a traceback without its end', () => {
  it.each([
    ['by ranks that write in turns', ['[rank0]: ', '[rank1]: ']],
    ['by ranks without a prefix', ['', '']],
  ])('is seen where it is interleaved %s and a progress bar goes on', (_how, [first = '', second = '']) => {
    const [head = '', file = '', code = ''] = traceback();
    const text = [
      `${first}${head}`,
      `${second}${head}`,
      `${first}${file}`,
      `${second}${file}`,
      `${first}${code}`,
      ' 12%|█▏        | 121/1000 [02:10<15:48,  1.08s/it]',
      `${second}${code}`,
      ' 12%|█▏        | 122/1000 [02:12<15:48,  1.08s/it]',
    ].join('\n');
    expect(rootOf(text)).toMatchObject({ format: 'traceback-cut', causes: [] });
    expect(rootOf(text)?.missing[0]?.key).toBe('doctorMissing.lastLine');
  });

  it.each([
    ['OutOfMemoryError', 'error-out-of-memory', 'too_small_card_or_batch'],
    ['ValueError', 'traceback-cut', undefined],
  ])('is known by the class that a notebook names at its head: %s', (named, format, cause) => {
    const text = [
      `${named}                          Traceback (most recent call last)`,
      '/tmp/ipykernel_36/773422404.py in <cell line: 0>()',
      '----> 1 trainer_stats = trainer.train()',
    ].join('\n');
    expect(rootOf(text)?.format).toBe(format);
    expect(rootOf(text)?.causes[0]?.cause).toBe(cause);
  });

  it('comes before the ranks that waited', () => {
    const text = [...ofRank(1, traceback()), watchdog].join('\n');
    expect(rootOf(text)).toMatchObject({ format: 'traceback-cut', rank: 1, line: 3 });
  });

  it.each([
    'torch/nn/functional.py", line 3104, in cross_entropy',
    'transformers/modeling_utils.py", line 8, in from_pretrained',
  ])('names no cause by a frame where anything may fail: %s', (frame) => {
    expect(rootOf(traceback(`  File "${frame}`).join('\n'))?.causes).toEqual([]);
  });

  it('guesses at memory where an optimizer takes its step, and says that it is a guess', () => {
    const failure = rootOf(traceback('  File "torch/optim/adamw.py", line 148, in _init_group').join('\n'));
    expect(failure?.causes.map(({ cause }) => cause)).toEqual([
      'optimizer_state_first_step',
      'optimizer_step_peak',
    ]);
    expect(failure?.causes[0]?.confidence).toBeLessThan(0.4);
  });
});
