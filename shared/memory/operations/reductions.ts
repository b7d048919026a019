import type { Tape } from '../tape/tape';
import { FP32, type Tensor } from '../tape/tensor';

/** Threads of a reduction's block when a thread sums one element, and the most that share one output. */
const blockThreads = 512;
const warpThreads = 32;
const minValuesPerThread = 16;
const maxValuesPerThread = 256;
const oneSemaphoreBytes = 4;
/** Beyond this a kernel's 32-bit offsets do not reach: the input is summed in halves. */
const maxInputBytes = 2 ** 31;

/**
 * Sum of a `rows` x `columns` matrix over its rows, as bias and norm gradients need it. Where one block a column group
 * would leave multiprocessors idle, several share the rows and meet in a workspace of partial sums and semaphores.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/aten/src/ATen/native/cuda/Reduce.cuh
 */
export function sumColumns(tape: Tape, rows: number, columns: number, elementBytes: number): Tensor {
  const sum = tape.create([columns], elementBytes);
  inReach(rows, columns * elementBytes, (part) => {
    const workspace = columnSumWorkspace(tape, part, columns);
    if (workspace === null) return;
    const partial = tape.create([workspace.partialBytes], 1);
    tape.scratch(workspace.semaphoreBytes);
    tape.release(partial);
  });
  return sum;
}

/** Runs `sum` on as few equal parts of `rows` as 32-bit offsets reach. */
function inReach(rows: number, rowBytes: number, sum: (rows: number) => void): void {
  if (rows <= 1 || rows * rowBytes <= maxInputBytes) {
    sum(rows);
    return;
  }
  const half = Math.floor(rows / 2);
  inReach(half, rowBytes, sum);
  inReach(rows - half, rowBytes, sum);
}

/**
 * Sum or norm of all `count` elements into one fp32 value. Where there is enough to do, several blocks share the elements and meet
 * in a workspace, as above; the result is floating.
 */
export function sumAll(tape: Tape, count: number): Tensor {
  const result = tape.create([1], FP32);
  inReach(count, FP32, (part) => {
    const sharing = blocksSharing(tape, part);
    if (sharing === 0) return;
    const partial = tape.create([sharing], FP32);
    tape.scratch(oneSemaphoreBytes);
    tape.release(partial);
  });
  return result;
}

/** Blocks that sum `count` elements into one value; 0 where one block does it alone. */
function blocksSharing(tape: Tape, count: number): number {
  const valuesPerThread = Math.ceil(count / blockThreads);
  if (valuesPerThread < maxValuesPerThread) return 0;
  const { multiprocessors, threadsPerMultiprocessor } = tape.card;
  const wantedBlocks = multiprocessors * Math.floor(threadsPerMultiprocessor / blockThreads);
  return Math.max(
    Math.min(wantedBlocks, Math.ceil(valuesPerThread / minValuesPerThread)),
    Math.ceil(valuesPerThread / maxValuesPerThread),
  );
}

function columnSumWorkspace(
  tape: Tape,
  rows: number,
  columns: number,
): { partialBytes: number; semaphoreBytes: number } | null {
  // Four or two columns are read at once where they are aligned.
  const vector = columns % 4 === 0 ? 4 : columns % 2 === 0 ? 2 : 1;
  const maxThreads = blockThreads / vector;
  const across = Math.min(lastPowerOfTwo(Math.floor(columns / vector)), maxThreads);
  const down = Math.min(lastPowerOfTwo(rows), maxThreads);
  const warpWidth = Math.min(across, warpThreads);
  const height = Math.min(down, Math.floor(maxThreads / warpWidth));
  const blockWidth = Math.min(across, Math.floor(maxThreads / height));
  // A block's threads share the rows of a column only where each then has enough to do.
  if (rows < height * minValuesPerThread && rows < maxValuesPerThread) return null;
  const columnBlocks = Math.ceil(columns / (blockWidth * vector));
  const valuesPerThread = Math.ceil(rows / height);
  const { multiprocessors, threadsPerMultiprocessor } = tape.card;
  const wantedBlocks = multiprocessors * Math.floor(threadsPerMultiprocessor / (blockWidth * height));
  if (valuesPerThread < maxValuesPerThread || columnBlocks > wantedBlocks) return null;
  const sharing = Math.max(
    Math.min(Math.ceil(wantedBlocks / columnBlocks), Math.ceil(valuesPerThread / minValuesPerThread)),
    Math.ceil(valuesPerThread / maxValuesPerThread),
  );
  if (sharing <= 1) return null;
  return {
    partialBytes: FP32 * columns * sharing * blockWidth * vector,
    semaphoreBytes: oneSemaphoreBytes * columnBlocks,
  };
}

function lastPowerOfTwo(count: number): number {
  return 2 ** Math.floor(Math.log2(Math.max(1, count)));
}
