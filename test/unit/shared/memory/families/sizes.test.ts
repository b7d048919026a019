/** Every decoder family plays sizes and settings that were not measured: nothing throws, and no step leaves memory behind. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { measuredPhases, playedPhases } from '../../../../accuracy/phases';
import { type MeasuredTrace, playTrace } from '../../../../accuracy/traces';

const file = path.resolve(import.meta.dirname, '../../../../fixtures/measured/decoder-traces.jsonl.gz');
const byModel = new Map(
  gunzipSync(readFileSync(file))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as MeasuredTrace)
    .map((trace) => [trace.model, trace] as const),
);

const changes = [
  { batch: 1, seq: 333, precision: 'bf16' },
  { batch: 3, seq: 17, precision: 'amp-fp16', ckpt: true },
  { batch: 1, seq: 64, precision: 'fp32', attn: 'eager' },
  { batch: 2, seq: 96, precision: 'bf16', sdp: 'flash', lora: 4, lora_dropout: 0.1 },
  { batch: 2, seq: 96, precision: 'amp-bf16', sdp: 'efficient', lora: 4, ckpt: true },
] as const;

/** The run with sliding windows of 32 tokens where the family has them, so that a sequence is longer than its window. */
function narrowed(trace: MeasuredTrace, change: (typeof changes)[number]): MeasuredTrace {
  const cfg = { ...trace.cfg };
  if (typeof cfg['sliding_window'] === 'number') cfg['sliding_window'] = 32;
  const { attn: _attn, sdp: _sdp, lora: _lora, lora_dropout: _dropout, ckpt: _ckpt, ...rest } = trace;
  return { ...rest, ...change, cfg };
}

describe.each([...byModel])('%s', (_model, trace) => {
  it.each(changes)('plays $precision of $batch times $seq tokens', (change) => {
    const log = playTrace('', narrowed(trace, change));
    const phases = playedPhases(log, measuredPhases(trace));
    const after = (phase: string): number | undefined =>
      phases.find((entry) => entry.phase === phase)?.endBytes;
    expect(after('zero_grad 2')).toBe(after('zero_grad 1'));
    expect(after('zero_grad 2')).toBeGreaterThan(0);
  });
});
