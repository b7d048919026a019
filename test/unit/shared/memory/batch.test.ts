/** The bytes of the batch that a step finds on its card. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { H200 } from '../../../../shared/gpu/models';
import type { TrainingSettings } from '../../../../shared/memory/configuration';
import { estimate } from '../../../../shared/memory/estimate';
import { AllocationLog } from '../../../../shared/memory/tape/log';
import { Tape } from '../../../../shared/memory/tape/tape';
import { makeBatch } from '../../../../shared/memory/training/batch';
import { makeStageBatch } from '../../../../shared/memory/training/pipeline/stageRun';
import { candidatesOf } from '../../../../shared/strategy/enumerate';
import { architectureOf, cardsOf, questionOf } from '../strategy/questions';

const fixture = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(path.resolve(import.meta.dirname, '../../../fixtures', name), 'utf8')) as Record<
    string,
    unknown
  >;

const vit = architectureOf(fixture('accuracy/configs/vit-base.json'));
const wav2vec2 = architectureOf(
  fixture('configs/inventories/wav2vec2-ctc.json')['config'] as Record<string, unknown>,
);

/** 224 x 224 pixels of three colours. */
const PIXELS = 150_528;

const settings: TrainingSettings = {
  method: { kind: 'full' },
  precision: 'bf16',
  optimizer: 'adamw-fused',
  microBatch: 4,
  sequence: 1,
  accumulation: 3,
  checkpointing: { kind: 'none' },
  attention: 'sdpa',
  clipGradients: false,
  gradientSync: null,
  reduceType: 'fp32',
  pixels: 'fp32',
};

function allocated(make: (tape: Tape) => void): readonly number[] {
  const log = new AllocationLog();
  make(new Tape(log, H200));
  return Array.from({ length: log.allocationCount }, (_, id) => log.bytes(id));
}

describe('images', () => {
  test.each([
    ['bf16', 'fp32', 4],
    ['bf16', 'weights', 2],
    ['amp-bf16', 'weights', 4],
    ['fp32', 'weights', 4],
  ] as const)('of %s weights, pixels as %s: %d bytes each', (precision, pixels, bytes) => {
    const batch = allocated((tape) => {
      makeBatch(tape, vit, { ...settings, precision, pixels }, precision === 'bf16' ? 2 : 4);
    });
    expect(batch).toEqual([4 * PIXELS * bytes, 4 * 8]);
  });

  test.each([
    ['fp32', 4],
    ['weights', 2],
  ] as const)('of a pipeline are of the same type: %s', (pixels, bytes) => {
    const place = { inFlight: 1, headOnFirst: null };
    const batch = (index: number, oneProcess: boolean): readonly number[] =>
      allocated((tape) => {
        const stage = { index, count: 2, firstLayer: 0, layers: 6 };
        makeStageBatch(tape, vit, { ...settings, pixels }, { ...place, oneProcess, stage });
      });
    expect(batch(0, true)).toEqual([4 * PIXELS * bytes]);
    expect(batch(0, false)).toEqual([3 * 4 * PIXELS * bytes]);
    expect(batch(1, false)).toEqual([3 * 4 * 8]);
  });

  test('are fp32 where an estimate is asked, and as train.py casts them in every plan', () => {
    const question = questionOf(vit, cardsOf(140_000), { precision: 'bf16', seq: 1 });
    expect(question.request.training.pixels).toBe('fp32');
    const planned = [...candidatesOf(question, 'asked')].map(({ request: { training } }) => training.pixels);
    expect(new Set(planned)).toEqual(new Set(['weights']));
  });
});

describe('a length that no configuration tells', () => {
  test('is taken to be 1,500 frames of sound, in the batch as in the model, and said', () => {
    const batch = allocated((tape) => {
      makeBatch(tape, wav2vec2, settings, 2);
    });
    expect(batch[0]).toBe(4 * 2 * 1500 * 2);
    const answer = estimate(wav2vec2, questionOf(wav2vec2, cardsOf(140_000), { seq: 100 }).request, false);
    if (answer.kind === 'refused') throw new Error(answer.reason.key);
    expect(answer.estimate.assumptions).toContainEqual({
      key: 'memory.assumeFrames',
      values: { frames: 1500 },
    });
  });
});
