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

describe('Falcon with ALiBi', () => {
  const falcon = byModel.get('falcon');
  const played = (alibi: boolean): number => {
    if (falcon === undefined) throw new Error('Falcon has traces.');
    const trace = { ...falcon, ckpt: false, seq: 256, cfg: { ...falcon.cfg, alibi, multi_query: false } };
    const phases = playedPhases(playTrace('', trace), measuredPhases(falcon));
    return phases.find(({ phase }) => phase === 'forward 2')?.endBytes ?? Number.NaN;
  };

  it('keeps one mask for every head instead of rotary tables', () => {
    expect(played(true)).toBeGreaterThan(0);
    expect(played(true)).not.toBe(played(false));
  });
});
