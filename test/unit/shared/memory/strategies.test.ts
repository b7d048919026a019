import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { H200 } from '../../../../shared/gpu/models';
import { copyInTableBytes, copyOutTableBytes } from '../../../../shared/memory/training/sharding/copyTables';
import { shardElements } from '../../../../shared/memory/training/sharding/shardedParameter';
import { type LargestRow, playLargest } from '../../../accuracy/largest';
import { describeRun } from '../../../accuracy/measured';
import { compareTrace, type MeasuredTrace, peakError, playTrace } from '../../../accuracy/traces';

const fixtures = path.resolve(import.meta.dirname, '../../../fixtures/measured');

function readFixture<T>(name: string): T[] {
  const text = gunzipSync(readFileSync(path.join(fixtures, `${name}.jsonl.gz`))).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
}

describe('recorded steps of DDP and FSDP2', () => {
  const traces = readFixture<MeasuredTrace>('strategies');

  test('there are DDP, DDP with bucket views, FSDP2, without reshard, with offload, and with LoRA', () => {
    expect(traces.map(({ model, strategy, lora }) => [model, strategy, lora ?? null])).toEqual([
      ['gpt2', 'ddp', null],
      ['gpt2', 'ddp-view', null],
      ['gpt2', 'fsdp2', null],
      ['gpt2', 'fsdp2-zero2', null],
      ['gpt2', 'fsdp2-offload', null],
      ['tinyllama-1.1b', 'fsdp2', 16],
      ['opt-1.3b', 'fsdp2', null],
    ]);
  });

  test.each(traces.map((trace) => [describeRun(trace), trace] as const))('%s', (_name, trace) => {
    const log = playTrace(fixtures, trace);
    const phases = compareTrace(trace, log).filter(({ phase }) => phase !== 'build');
    expect(phases.map(({ phase, difference }) => [phase, difference])).toEqual(
      ['data', 'forward 1', 'backward 1', 'optimizer 1', 'zero_grad 1']
        .concat(['forward 2', 'backward 2', 'optimizer 2', 'zero_grad 2'])
        .map((phase) => [phase, null]),
    );
    expect(Math.abs(peakError(trace, log) ?? 1)).toBeLessThan(0.0015);
  });
});

describe('largest micro-batch', () => {
  const rows = readFixture<LargestRow>('largest');

  test.each(rows.map((row) => [`${describeRun(row)} on ${row.card_mib} MiB`, row] as const))(
    '%s',
    (_name, row) => {
      expect(playLargest(fixtures, row)).toBe(row.max_batch);
    },
  );
});

describe('shards', () => {
  test('by rows the first dimension is divided and rounded up', () => {
    expect(shardElements([50_257, 768], 4, 'rows')).toBe(12_565 * 768);
    expect(shardElements([2048], 4, 'rows')).toBe(512);
    expect(shardElements([3], 8, 'rows')).toBe(1);
  });

  test('by elements all of them are divided and rounded up, whatever their rows', () => {
    expect(shardElements([50_257, 768], 4, 'elements')).toBe((50_257 * 768) / 4);
    expect(shardElements([3, 100], 8, 'elements')).toBe(38);
  });

  // One layer of TinyLlama in bf16 over four processes, as recorded.
  const layer = [2_097_152, 262_144, 262_144, 2_097_152, 5_767_168, 5_767_168, 5_767_168, 1024, 1024];

  test('copy tables have the recorded sizes', () => {
    expect(copyOutTableBytes(layer, 4, H200)).toBe(29_008);
    expect(copyOutTableBytes([32_768_000, 1024, 32_768_000], 4, H200)).toBe(32_112);
    expect(copyInTableBytes(layer)).toBe(86_480);
    expect(copyInTableBytes(layer.map((bytes) => bytes * 2))).toBe(172_496);
  });
});
