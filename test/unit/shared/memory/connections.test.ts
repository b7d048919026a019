/** What NCCL's connections take, and how sure that is. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { contextBytes, unmeasuredConnections } from '../../../../shared/memory/cardEstimate';
import { gpuModelNamed } from '../../../../shared/gpu/modelNamed';
import { H200 } from '../../../../shared/gpu/models';
import { estimate, type Estimate } from '../../../../shared/memory/estimate';
import { architectureOf, cardsOf, questionOf, smallLlama } from '../strategy/questions';

const MIB = 2 ** 20;
const llama = smallLlama(256, 6, 1000);

const requestOf = (wishes: Readonly<Record<string, unknown>>): ReturnType<typeof questionOf>['request'] =>
  questionOf(llama, cardsOf(80_000), { seq: 64, accumulation: 4, ...wishes }).request;

function contextsOf(wishes: Readonly<Record<string, unknown>>, card = H200): readonly number[] {
  const request = requestOf(wishes);
  return Array.from(
    { length: request.world },
    (_, rank) => contextBytes(card, request, { usesCudnn: true, rank, isTied: false }) / MIB,
  );
}

describe('on H200s, measured in MiB', () => {
  test.each([
    ['alone', {}, [758]],
    ['with a communicator of one rank', { strategy: 'ddp' }, [1316]],
    ['DDP', { strategy: 'ddp', world: 2 }, [1604, 1604]],
    ['FSDP2', { strategy: 'fsdp-full', world: 2 }, [1604, 1604]],
    ['a pipeline of two stages', { strategy: 'pipeline', world: 2 }, [1758, 1758]],
    ['layers of one process', { strategy: 'pipeline', schedule: 'sequential', world: 2 }, [758, 758]],
    ['DataParallel', { strategy: 'dp', world: 2 }, [1536, 1536]],
  ])('%s', (_name, wishes, mib) => expect(contextsOf(wishes)).toEqual(mib));
});

describe('a stage with two neighbours, which no run had', () => {
  const four = { strategy: 'pipeline', world: 4 };

  test('is taken to need as many buffers for the second one as a receiver needs', () => {
    expect(contextsOf(four)).toEqual([1758, 2014, 2014, 1758]);
    expect(contextsOf(four, gpuModelNamed('RTX 3090').card)).toEqual([1086, 1117, 1117, 1086]);
  });

  test('may need none of it, which its interval holds', () => {
    const request = requestOf(four);
    expect([0, 1, 2, 3].map((rank) => unmeasuredConnections(H200, request, rank))).toEqual(
      [0, 256, 256, 0].map((less) => ({ lessBytes: less * MIB, moreBytes: 288 * MIB })),
    );
    const { cards } = answerOf(four);
    for (const { contextBytes: context, interval, processBytes, rank } of cards) {
      const withoutSecond = processBytes - (rank === 1 || rank === 2 ? 256 * MIB : 0);
      expect(context).toBe(processBytes - (cards[rank]?.reservedPeakBytes ?? 0));
      expect(interval.lowBytes).toBeLessThan(withoutSecond);
      expect(interval.highBytes).toBeGreaterThan(processBytes + 288 * MIB);
    }
  });

  test('is said, and only where there is one', () => {
    const said = (wishes: Readonly<Record<string, unknown>>): readonly unknown[] =>
      answerOf(wishes).assumptions.filter(({ key }) => key === 'memory.assumeInnerStages');
    expect(said(four)).toEqual([{ key: 'memory.assumeInnerStages', values: { bytes: 256 * MIB } }]);
    expect(said({ strategy: 'pipeline', world: 2 })).toEqual([]);
    expect(said({ ...four, schedule: 'sequential' })).toEqual([]);
    expect(said({ ...four, contextMib: 900 })).toEqual([]);
  });
});

test('cuDNN counts on those cards alone whose layers use it', () => {
  const folder = path.resolve(import.meta.dirname, '../../../fixtures/accuracy/configs');
  const vit = architectureOf(
    JSON.parse(readFileSync(path.join(folder, 'vit-base.json'), 'utf8')) as Record<string, unknown>,
  );
  const placed = { strategy: 'pipeline', schedule: 'sequential', world: 2, precision: 'fp32', seq: 1 };
  const answer = estimate(vit, questionOf(vit, cardsOf(80_000), placed).request, false);
  if (answer.kind === 'refused') throw new Error(answer.reason.key);
  // Its patches come of a convolution; attention in fp32 takes another kernel.
  expect(answer.estimate.cards.map(({ contextBytes: bytes }) => bytes / MIB)).toEqual([758, 742]);
});

function answerOf(wishes: Readonly<Record<string, unknown>>): Estimate {
  const answer = estimate(llama, requestOf(wishes), false);
  if (answer.kind === 'refused') throw new Error(answer.reason.key);
  return answer.estimate;
}
