/** What single kernels allocate, against what PyTorch 2.11 allocated on an H200 at 900 sizes. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type AttentionKernel, scaledDotProduct } from '../../../../../shared/memory/operations/attention';
import { tableGradient } from '../../../../../shared/memory/operations/embedding';
import { layerNorm } from '../../../../../shared/memory/operations/norms';
import { sumAll, sumColumns } from '../../../../../shared/memory/operations/reductions';
import { backward } from '../../../../../shared/memory/tape/backward';
import { allocationOf, isAllocation, isFree } from '../../../../../shared/memory/tape/log';
import { buildModel } from '../../../../../shared/memory/tape/module';
import { hold, type Tape } from '../../../../../shared/memory/tape/tape';
import type { Shape, Tensor } from '../../../../../shared/memory/tape/tensor';
import type { ModuleNode } from '../../../../../shared/model/modules';
import { newTape } from '../tape/tapes';

/** Bytes of an allocation, or the index of the event that is freed, in a list. */
type KernelEvent = number | readonly [number];

interface Recorded {
  readonly op: 'embedding' | 'layernorm' | 'colsum' | 'fullsum' | 'sdpa';
  readonly dt: 'fp32' | 'bf16';
  readonly events: readonly KernelEvent[];
  readonly [size: string]: unknown;
}

const file = path.resolve(import.meta.dirname, '../../../../fixtures/measured/kernels.jsonl.gz');
const recorded = gunzipSync(readFileSync(file))
  .toString('utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Recorded);

const of = (op: Recorded['op']): readonly Recorded[] => recorded.filter((entry) => entry.op === op);
const bytesOf = ({ dt }: Recorded): number => (dt === 'fp32' ? 4 : 2);
const sizeOf = (entry: Recorded, name: string): number => Number(entry[name]);

/** Events that `body` makes, in the recorded form. */
function eventsOf(tape: Tape, body: () => void): KernelEvent[] {
  const { log } = tape;
  const start = log.eventCount;
  body();
  const indices = new Map<number, number>();
  const events: KernelEvent[] = [];
  for (let event = start; event < log.eventCount; event++) {
    const code = log.code(event);
    if (isAllocation(code)) {
      indices.set(code, events.length);
      events.push(log.bytes(code));
    } else if (isFree(code)) events.push([indices.get(allocationOf(code)) ?? -1]);
  }
  return events;
}

function expectAll(
  op: Recorded['op'],
  count: number,
  play: (tape: Tape, entry: Recorded) => KernelEvent[],
): void {
  const entries = of(op);
  expect(entries.length).toBe(count);
  for (const entry of entries) {
    const tape = newTape();
    tape.frame([], () => {
      const { events, ...sizes } = entry;
      expect({ ...sizes, events: play(tape, entry) }).toEqual({ ...sizes, events });
    });
  }
}

describe('reductions', () => {
  test('sums over rows', () => {
    expectAll('colsum', of('colsum').length, (tape, entry) =>
      eventsOf(tape, () => {
        hold(sumColumns(tape, sizeOf(entry, 'rows'), sizeOf(entry, 'n'), bytesOf(entry)));
      }),
    );
  });

  test('sums of everything', () => {
    expectAll('fullsum', 8, (tape, entry) =>
      eventsOf(tape, () => {
        hold(sumAll(tape, sizeOf(entry, 'rows') * sizeOf(entry, 'n')));
      }),
    );
  });
});

test('gradients of tables', () => {
  expectAll('embedding', of('embedding').length, (tape, entry) => {
    const [count, rows, columns] = [sizeOf(entry, 'n'), sizeOf(entry, 'w'), sizeOf(entry, 'd')];
    const gradient = hold(tape.create([count, columns], bytesOf(entry)));
    return eventsOf(tape, () => {
      hold(tableGradient(gradient, [rows, columns], count));
    });
  });
});

test('gradients of LayerNorm', () => {
  expectAll('layernorm', of('layernorm').length, (tape, entry) => {
    const [rows, columns] = [sizeOf(entry, 'rows'), sizeOf(entry, 'n')];
    const module = buildModel(tape, normNode(columns), {
      parameterBytes: bytesOf(entry),
      trained: true,
      quantization: null,
      elsewhere: new Set(),
    }).root;
    const x = tape.createParameter('x', [rows, columns], bytesOf(entry), true);
    const { node } = hold(layerNorm(module, x));
    const gradient = hold(tape.create([1], bytesOf(entry)));
    return eventsOf(tape, () => node?.backward(gradient, [], [gradient]));
  });
});

function normNode(columns: number): ModuleNode {
  const parameters = ['weight', 'bias'].map((name) => ({ name, shape: [columns] }));
  return { name: '', kind: 'norm', isBlock: false, parameters, buffers: [], children: [], ties: {} };
}

describe('attention kernels', () => {
  /** Small results, of which sums and their workspaces are no part of the kernel. */
  const SMALL = 3000;

  /** Allocations without the small ones, sorted: the recorded backward makes a copy of its gradient at another point. */
  const large = (events: readonly KernelEvent[]): number[] =>
    events
      .filter((event): event is number => typeof event === 'number' && event >= SMALL)
      .sort((a, b) => a - b);

  function play(entry: Recorded): KernelEvent[] {
    const tape = newTape();
    const [batch, heads, keyHeads, queries, keys, dim] = ['b', 'h', 'kv', 's', 'k', 'd'].map((name) =>
      sizeOf(entry, name),
    ) as [number, number, number, number, number, number];
    const bytes = bytesOf(entry);
    const form = String(entry['form']);
    const input = (shape: Shape, trained: boolean): Tensor => {
      const tensor = tape.createParameter('input', shape, bytes, trained);
      tensor.positionsFirst = heads > 1;
      return tensor;
    };
    const query = input([batch, heads, queries, dim], true);
    const [key, value] = [0, 1].map(() => input([batch, keyHeads, keys, dim], true));
    const mask = form.startsWith('mask') ? input([1, heads, queries, keys], form === 'maskgrad') : null;
    if (key === undefined || value === undefined) throw new Error('Three inputs.');
    return eventsOf(tape, () => {
      tape.frame([], () => {
        const output = hold(
          scaledDotProduct(
            { query, key, value, mask, causal: form === 'causal', dropout: form === 'dropout' ? 0.1 : 0 },
            String(entry['kernel']) as AttentionKernel,
          ),
        );
        const sum = tape.apply([output], [], [1], bytes, () => [tape.create(output.shape, bytes)]);
        backward(tape, hold(sum));
      });
    });
  }

  test.each(['cudnn', 'flash', 'efficient'])('%s', (kernel) => {
    const entries = of('sdpa').filter((entry) => entry['kernel'] === kernel);
    expect(entries.length).toBeGreaterThan(40);
    for (const entry of entries) {
      const { events, ...sizes } = entry;
      expect({ ...sizes, events: large(play(entry)) }).toEqual({ ...sizes, events: large(events) });
    }
  });
});
