/** What optimizers keep, on the card and in the machine's memory. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { H200 } from '../../../../shared/gpu/models';
import type { EstimateRequest } from '../../../../shared/memory/configuration';
import { assumptionsOf } from '../../../../shared/memory/assumptions';
import { hostBytes } from '../../../../shared/memory/hostMemory';
import { AllocationLog } from '../../../../shared/memory/tape/log';
import { Tape } from '../../../../shared/memory/tape/tape';
import {
  createOptimizer,
  optimizerNames,
  type OptimizerName,
} from '../../../../shared/memory/training/optimizers';
import { eightBitBytes, pagedBytes } from '../../../../shared/memory/training/optimizers/eightBit';
import { stateBytes } from '../../../../shared/memory/training/optimizers/stateBytes';
import { cardsOf, questionOf, smallLlama } from '../strategy/questions';

/** Bytes of what one step of an optimizer makes and keeps of one parameter, each as it was asked for. */
function kept(optimizer: OptimizerName, shape: readonly number[], elementBytes: number): readonly number[] {
  const log = new AllocationLog();
  const tape = new Tape(log, H200);
  const parameter = tape.createParameter('weight', shape, elementBytes, true);
  parameter.gradient = tape.createOwned(shape, elementBytes, 'gradients');
  const before = log.allocationCount;
  createOptimizer(tape, optimizer, { parameters: [parameter], matrixOf: () => null }).step();
  const freed = new Set<number>();
  for (let event = 0; event < log.eventCount; event++) if (log.code(event) < 0) freed.add(~log.code(event));
  const ids = Array.from({ length: log.allocationCount - before }, (_, index) => before + index);
  return ids.filter((id) => !freed.has(id)).map((id) => log.bytes(id));
}

describe('8-bit AdamW as bitsandbytes has it', () => {
  test.each([
    ['below 4,096 elements two moments in fp32', 4095, 'adamw-8bit', [16_380, 16_380]],
    [
      'from there on two maps, a byte each, and scales of 256',
      4096,
      'adamw-8bit',
      [1024, 1024, 4096, 4096, 64, 64],
    ],
    ['with a last block that is not full', 100_001, 'adamw-8bit', [1024, 1024, 100_001, 100_001, 1564, 1564]],
    ['paged, below 100,000 elements', 99_999, 'paged-adamw-8bit', [1024, 1024, 99_999, 99_999, 1564, 1564]],
    ['paged, from there on: scales alone', 100_000, 'paged-adamw-8bit', [1024, 1024, 1564, 1564]],
  ] as const)('%s', (_name, count, optimizer, bytes) => {
    expect(kept(optimizer, [count], 2)).toEqual(bytes);
    expect(kept(optimizer, [count], 4)).toEqual(bytes);
  });

  test('pages its moments and nothing else', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 9 }), (count) => {
        const scales = count < 4096 ? 0 : 8 * Math.ceil(count / 256);
        const moments = count < 4096 ? 8 * count : 2 * count;
        expect(eightBitBytes(count)).toBe(moments + scales);
        expect(pagedBytes(count)).toBe(count < 100_000 ? 0 : moments);
      }),
    );
  });
});

/** Step counts and norms of four bytes, and maps that all tensors share. */
const TINY = 2048 + 8;

test.each(optimizerNames.flatMap((name) => [2, 4].map((elementBytes) => [name, elementBytes] as const)))(
  'what %s keeps of weights of %d bytes is what the host would hold of it',
  (name, elementBytes) => {
    const shape = [300, 200];
    const made = kept(name, shape, elementBytes).reduce((sum, bytes) => sum + bytes, 0);
    const onCard = name.startsWith('paged') ? made + pagedBytes(60_000) : made;
    const told = stateBytes(name, { shape, elementBytes, isBlockMatrix: false });
    expect(onCard - told).toBeGreaterThanOrEqual(0);
    expect(onCard - told).toBeLessThanOrEqual(TINY);
  },
);

describe('host memory', () => {
  const llama = smallLlama(512, 4, 32_000);
  const request = (wishes: Readonly<Record<string, unknown>>): EstimateRequest =>
    questionOf(llama, cardsOf(80_000), wishes).request;
  const embedding = 32_000 * 512;
  const block = 4 * 512 * 512 + 3 * 512 * 1536;

  test.each(['amp-bf16', 'bf16'])(
    'holds the paged moments of %s, two bytes a weight that is large',
    (precision) => {
      const paged = hostBytes(llama, request({ optimizer: 'paged-adamw-8bit', precision }));
      expect(paged).toBe(2 * (2 * embedding + 4 * block));
    },
  );

  test('holds those of each copy', () => {
    const copies = { optimizer: 'paged-adamw-8bit', strategy: 'ddp', world: 3 };
    expect(hostBytes(llama, request(copies))).toBe(3 * 2 * (2 * embedding + 4 * block));
  });

  test('holds those of each stage once', () => {
    const stages = { optimizer: 'paged-adamw-8bit', strategy: 'pipeline', world: 2, accumulation: 2 };
    expect(hostBytes(llama, request(stages))).toBe(2 * (2 * embedding + 4 * block));
  });

  test('is nothing for what pages nothing', () => {
    expect(hostBytes(llama, request({ optimizer: 'adamw-8bit' }))).toBe(0);
    expect(hostBytes(llama, request({ optimizer: 'paged-adamw-8bit', method: 'lora', loraRank: 4 }))).toBe(0);
  });

  test.each(['fp32', 'bf16'])(
    'has 8-bit moments of a byte, whatever weights of %s are offloaded',
    (precision) => {
      const offloaded = (optimizer: OptimizerName): number =>
        hostBytes(llama, request({ optimizer, precision, strategy: 'fsdp-full', offload: 'all', world: 1 }));
      const weights = 2 * embedding + 4 * block;
      const norms = 9 * 512;
      expect(offloaded('adamw-8bit') - offloaded('sgd')).toBe(
        weights * 2 +
          8 * Math.ceil(weights / 256) +
          norms * 8 +
          2 * embedding * (precision === 'fp32' ? 4 : 2),
      );
    },
  );

  test('is told with what the Trainer would do otherwise', () => {
    const asked = request({ optimizer: 'paged-adamw-8bit', seq: 128 });
    const said = assumptionsOf(llama, asked, H200).filter(({ key }) => /Paged|EightBit/.test(key));
    expect(said).toEqual([
      { key: 'memory.assumeEightBit', values: { bytes: 8 * embedding - 2 * embedding - embedding / 32 } },
      { key: 'memory.assumePaged', values: { bytes: 2 * (2 * embedding + 4 * block) } },
    ]);
  });
});
