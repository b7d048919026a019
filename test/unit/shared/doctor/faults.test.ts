import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../../shared/doctor/reader';
import type { Failure } from '../../../../shared/doctor/types';
import { fixtures } from './recorded';

const folder = path.join(fixtures, 'faults');
const textOf = (file: string): string => readFileSync(path.join(folder, file), 'utf8');

function rootOf(text: string): Failure | undefined {
  const { failures, rootFailure } = diagnose(text);
  return failures[rootFailure ?? 0];
}

/** Names that are equal from the text alone, by the group that they belong to. */
const groups: Readonly<Record<string, string>> = {
  batch_too_large: 'FULL',
  too_small_card_or_batch: 'FULL',
  masked_cudnn: 'MASKED-LIB',
  masked_cublas: 'MASKED-LIB',
  optimizer_step_peak: 'OPT-STEP',
  optimizer_state_first_step: 'OPT-STEP',
};
const grouped = (cause: string): string => groups[cause] ?? cause;

const rows = textOf('index.tsv')
  .trim()
  .split('\n')
  .slice(1)
  .map((line) => line.split('\t'));
const failing = rows.filter(([, kind]) => kind?.startsWith('none') === false);
const silent = rows.filter(([, kind]) => kind?.startsWith('none') === true);

describe('texts that were answered wrongly once', () => {
  it('are 46', () => {
    expect(failing.length + silent.length).toBe(46);
  });

  it.each(silent.map(([file = '']) => file))('%s reports no failure', (file) => {
    expect(diagnose(textOf(file)).failures).toEqual([]);
  });

  it.each(failing.map(([file = '', kind = '', cause = '']) => [file, kind, cause] as const))(
    '%s is %s: %s',
    (file, kind, cause) => {
      const failure = rootOf(textOf(file));
      expect(failure?.kind).toBe(kind);
      const named = failure?.causes[0]?.cause ?? null;
      // In brackets stands why no cause can be named, or which is nearest.
      if (cause.startsWith('(none')) expect(named).toBeNull();
      else if (cause.startsWith('(')) expect(['masked_cublas', 'masked_cudnn']).toContain(named);
      else expect(grouped(named ?? '')).toBe(grouped(cause));
    },
  );
});

/** What each prints, by the name of the fact or the detail. */
const printed: Readonly<Record<string, Readonly<Record<string, number | string>>>> = {
  'a05-tf-dst-tensor.txt': { gpuIndex: 0 },
  'a07-itex-allocator.txt': { triedBytes: 10_529_419_660 },
  'a14-ollama-system-memory.txt': { neededBytes: 176_952_652_595, availableBytes: 14_388_140_442 },
  'a18-ascend-rtmalloc.txt': { gpuIndex: 0, triedBytes: 3_221_291_008 },
  'a20-xla-reserve-bottom.txt': {
    triedBytes: 6_957_847_020,
    freeBytes: 7_279_969_567,
    largestBytes: 3_575_560_274,
  },
  'a22-xla-compile-hbm.txt': {
    neededBytes: 23_514_945_946,
    capacityBytes: 8_031_588_844,
    overBytes: 15_483_357_102,
  },
  'a25-paddle-worker-killed.txt': { workerPid: 10_222 },
  'a33-memory-events.txt': { oomKills: 3 },
  'a35-earlyoom.txt': { killedPid: 4242, killedName: 'python', residentMib: 61_234 },
  'b01-fragmentation-a-85.txt': {
    triedBytes: 9_126_805_504,
    capacityBytes: 150_023_207_649,
    freeBytes: 3_242_700_308,
    allocatedBytes: 128_000_762_839,
    unallocatedBytes: 15_075_335_209,
  },
  'b02-nccl-numel-differs.txt': {
    sequenceNumber: 412,
    operation: 'ALLREDUCE',
    timeoutMilliseconds: 600_000,
    inputElements: 1_048_576,
  },
  'b08-ddp-reducer.txt': {
    gpuIndex: 1,
    triedBytes: 26_950_919_782,
    capacityBytes: 42_294_690_447,
    freeBytes: 14_570_676_552,
    allocatedBytes: 27_090_506_220,
  },
  'd01-vllm-cache-blocks.txt': {
    neededBytes: 25_769_803_776,
    cacheBytes: 3_414_499_000,
    modelLength: 262_144,
    estimatedModelLength: 34_736,
  },
  'd03-vllm-startup-small-card.txt': {
    freeBytes: 3_457_448_673,
    capacityBytes: 4_294_967_296,
    desiredBytes: 3_865_470_566,
  },
  'd04-llamacpp.txt': { gpuIndex: 1, triedBytes: 10_345_250_816 },
  'd06-jax.txt': { triedBytes: 7_406_166_528 },
  'd07-paddle.txt': {
    gpuIndex: 0,
    triedBytes: 58_720_256,
    allocatedBytes: 8_356_692_098,
    freeBytes: 13_369_344,
  },
  'd10-hip-other-process.txt': {
    gpuIndex: 0,
    triedBytes: 3_554_085_437,
    capacityBytes: 137_438_953_472,
    freeBytes: 818_140_938,
    allocatedBytes: 61_954_903_245,
  },
};

describe('the numbers of those texts', () => {
  it.each(Object.entries(printed))('are read in %s', (file, expected) => {
    const failure = rootOf(textOf(file));
    const read: Readonly<Record<string, unknown>> = { ...failure?.details, ...failure?.facts };
    for (const [name, value] of Object.entries(expected)) {
      const found = read[name];
      // Two decimals are rounded up or down.
      if (typeof value === 'number' && typeof found === 'number')
        expect(Math.abs(found - value), name).toBeLessThanOrEqual(1);
      else expect(found, name).toBe(value);
    }
  });
});

const settingsOf = (file: string): readonly string[] =>
  rootOf(textOf(file))?.causes[0]?.fixes.flatMap(({ setting }) => setting ?? []) ?? [];

describe('what to change, in the words of the program and the place', () => {
  it.each([
    [
      'd01-vllm-cache-blocks.txt',
      ['--max-model-len 34736', '--gpu-memory-utilization 0.95'],
      /utilization 0\.8/,
    ],
    ['d03-vllm-startup-small-card.txt', ['--gpu-memory-utilization 0.80'], /0\.9/],
    ['d04-llamacpp.txt', ['-c 4096', '-ngl 20'], /per_device|torch|gradient/],
    ['d06-jax.txt', ['jax.checkpoint(block)', 'jax.jit(step, donate_argnums=(0, 1))'], /torch|per_device/],
    ['d07-paddle.txt', ['paddle.io.DataLoader(…, batch_size=…/2)'], /torch|PYTORCH|per_device/],
    ['d08-comfyui.txt', ['--lowvram', 'VAE Decode (Tiled)', '--novram'], /gradient|per_device/],
    ['d10-hip-other-process.txt', ['rocm-smi --showpids', 'HIP_VISIBLE_DEVICES=1'], /nvidia|CUDA/],
    ['d16-ultralytics.txt', ['batch=…/2 (nbs=64 keeps the nominal batch)', 'imgsz=…'], /per_device/],
    [
      'a16-mlx-insufficient-memory.txt',
      ['--batch-size 1', '--grad-checkpoint', '--max-seq-length 1024'],
      /torch|nvidia/,
    ],
    ['b07-clip-grad.txt', ['torch.nn.utils.clip_grad_norm_(…, foreach=False)'], /8bit/],
    ['b11-ddp-contexts-on-every-card.txt', ['torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))'], /batch/],
    ['b01-fragmentation-a-85.txt', ['PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True'], /batch/],
  ])('%s', (file, wanted, never) => {
    const settings = settingsOf(file);
    for (const setting of wanted) expect(settings).toContain(setting);
    for (const setting of settings) expect(setting).not.toMatch(never);
  });

  it('gives no advice on batches where no batch was reached', () => {
    const failure = rootOf(textOf('b08-ddp-reducer.txt'));
    const keys = failure?.causes.flatMap(({ fixes }) => fixes.map(({ text }) => text.key)) ?? [];
    expect(keys).not.toContain('doctorFixes.smallerMicroBatch');
    expect(keys).not.toContain('doctorFixes.checkpointing');
    expect(keys).toContain('doctorFixes.bucketView');
  });

  it('names no Slurm and no dmesg to a Mac', () => {
    const settings = settingsOf('d11-macos-exit-9.txt');
    expect(settings.join('\n')).not.toMatch(/SBATCH|--mem|dmesg/);
    expect(settings).toContain('log show --last 1h --predicate \'eventMessage contains "memorystatus"\'');
  });
});
