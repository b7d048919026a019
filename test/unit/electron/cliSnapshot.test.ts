import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { snapshot } from '../../../electron/commands/snapshot';
import { packedSnapshot, snapshotBytes } from '../shared/memorySnapshot/support';
import { call } from './cliSupport';

const gpt2 = JSON.stringify({
  architectures: ['GPT2LMHeadModel'],
  model_type: 'gpt2',
  n_embd: 768,
  n_layer: 4,
  n_head: 12,
  n_positions: 1024,
  vocab_size: 50257,
});
const run = (
  bytes: Uint8Array,
  words: readonly string[] = [],
  files: Readonly<Record<string, string>> = {},
) => call([snapshot], ['snapshot', 's.pickle', ...words], { bytes: { 's.pickle': bytes }, files });

describe('headroom snapshot', () => {
  test('--json prints one value with the keys of the contract, packed or not', async () => {
    for (const bytes of [snapshotBytes('plain'), packedSnapshot('plain'), gzipSync(snapshotBytes('plain'))]) {
      const { code, stderr, stdout } = await run(bytes, ['--json']);
      expect([code, stderr]).toEqual([0, '']);
      expect(stdout.trim().split('\n')).toHaveLength(1);
      expect(JSON.parse(stdout)).toMatchObject({
        torch: null,
        truncated: false,
        problems: [],
        devices: [
          {
            index: 0,
            peak: { allocatedBytes: 2_810_707_968 },
            end: { allocatedBytes: 882_602_496, reservedBytes: 3_311_403_008 },
            growth: null,
            oom: null,
          },
        ],
      });
    }
  });

  test('people read who held the peak, what grows and what to do', async () => {
    const { stdout } = await run(packedSnapshot('leak-losses'));
    expect(stdout).toContain('GPU 0: peak 13.9 GiB');
    expect(stdout).toContain('Memory grows by 1.0 GiB a step.');
    expect(stdout).toContain('loss.item()');
    expect(stdout).toContain('/home/user/example/snapshots.py:36:case');
  });

  test('beside a plan of the same run every phase is as planned', async () => {
    const flags = ['--model', 'm.json', '--micro-batch', '4', '--seq', '512', '--optimizer', 'adamw'];
    const { stdout } = await run(snapshotBytes('plain'), [...flags, '--json'], { 'm.json': gpt2 });
    const [plan] = (JSON.parse(stdout) as { plan: { phases: unknown[]; differences: unknown[] }[] }).plan;
    expect(plan?.phases).toHaveLength(4);
    expect(plan?.differences).toEqual([]);
    const text = await run(snapshotBytes('plain'), flags, { 'm.json': gpt2 });
    expect(text.stdout).toContain('No phase differs from the plan');
  });

  test('of a plan with a smaller batch the differences come largest first, with their lines', async () => {
    const flags = ['--model', 'm.json', '--micro-batch', '2', '--seq', '512', '--optimizer', 'adamw'];
    const { stdout } = await run(snapshotBytes('plain'), [...flags, '--json'], { 'm.json': gpt2 });
    const [plan] = (
      JSON.parse(stdout) as {
        plan: { differences: { what: string; differenceBytes: number; stacks: { frames: string[] }[] }[] }[];
      }
    ).plan;
    const sizes = plan?.differences.map(({ differenceBytes }) => Math.abs(differenceBytes)) ?? [];
    expect(sizes).toEqual([...sizes].sort((one, other) => other - one));
    expect(plan?.differences[0]).toMatchObject({ phase: 'backward', what: 'logits' });
    expect(plan?.differences[0]?.stacks[0]?.frames[0]).toContain('cross_entropy');
  });

  const savedPlan = (allocatedPeakBytes: number): string =>
    JSON.stringify({
      version: 1,
      id: '0123456789abcdef',
      name: 'gpt2',
      ranks: [{ allocatedPeakBytes, reservedPeakBytes: 4e9, contextBytes: 5e8, processBytes: 4.5e9 }],
      correction: { contextBytes: 0, share: 0 },
      settings: {
        method: 'full',
        strategy: 'single',
        precision: 'amp-bf16',
        optimizer: 'adamw',
        checkpointing: 'none',
        offload: 'none',
        world: 1,
        microBatch: 4,
        accumulationSteps: 1,
        sequence: 512,
      },
      appVersion: null,
    });

  test('--plan plays the plan again from the config beside it, where it plays to the same peak', async () => {
    const files = { '/p/headroom-plan.json': savedPlan(2_811_000_000), '/p/config.json': gpt2 };
    const { stdout } = await run(snapshotBytes('plain'), ['--plan', '/p/headroom-plan.json'], files);
    expect(stdout).toContain('No phase differs from the plan');
    const other = { ...files, '/p/headroom-plan.json': savedPlan(9e9) };
    const byPeak = await run(snapshotBytes('plain'), ['--plan', '/p/headroom-plan.json'], other);
    expect(byPeak.stdout).toContain('peak 2.6 GiB, planned 8.4 GiB');
    expect(byPeak.stdout).toContain('known by its peak alone');
  });

  test.each([
    ['a text', Buffer.from('Traceback'), [], 's.pickle: this is not a pickle'],
    ['a packed text', gzipSync('Traceback'), [], 's.pickle: this is not a pickle'],
    ['damaged packing', packedSnapshot('plain').subarray(0, 5000), [], 's.pickle: its xz data is damaged'],
    [
      'gzip that was cut off',
      gzipSync(snapshotBytes('oom')).subarray(0, 5000),
      [],
      's.pickle: its gzip data is damaged',
    ],
    [
      'a plan that is none',
      snapshotBytes('oom'),
      ['--plan', 'x.json'],
      'x.json: this is not a headroom-plan.json',
    ],
    [
      'a flag without its model',
      snapshotBytes('oom'),
      ['--seq', '5'],
      '--seq belongs to a plan made from --model',
    ],
  ])('%s is refused in one line', async (_what, bytes, words, reason) => {
    const { code, stderr, stdout } = await run(bytes, words, { 'x.json': '{}' });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(reason);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  });

  test('zstd is unpacked where this Node can, and refused with what to do where it cannot', async () => {
    const { stderr } = await run(Uint8Array.from([0x28, 0xb5, 0x2f, 0xfd, 0, 0, 0, 0, 0, 0]));
    expect(stderr).toMatch(/zstd/);
  });
});
