import { expect, test } from 'vitest';
import {
  accumulationRows,
  largestFiles,
  ownRows,
  ownSearches,
  rowFiles,
  traceFiles,
  twoCardRows,
} from './files';
import { isOffered } from './measured';
import { report } from './report';

test('every claim about accuracy is kept on the measured rows', () => {
  const lines: string[] = [];
  const missed = report({
    folder: ownRows,
    rows: [...rowFiles, ...twoCardRows, ...accumulationRows],
    largest: [...largestFiles, ...ownSearches],
    traces: traceFiles,
    chosen: isOffered,
    say: (line) => lines.push(line),
  });
  const text = lines.join('\n');
  expect(text, text).not.toContain('not played');
  expect(missed, text).toBe(0);
  // The whole set was compared, not an empty one.
  expect(text).toMatch(/kept {3}allocated, dense families with traces, one card +2\d\d /);
  expect(text).toMatch(/kept {3}allocated, FSDP and DDP with accumulation +38 /);
  expect(text).toMatch(/kept {3}allocated, DeepSpeed's ZeRO: 44 rows/);
  expect(text).toMatch(/kept {3}largest micro-batch: exact in 98\.462 % of 65,/);
});
