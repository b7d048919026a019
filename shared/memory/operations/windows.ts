/** How Swin cuts an image into windows and moves them: copies of [batch, rows, columns, width]. */
import { release } from '../tape/tape';
import { BOOL, INT64, type Tensor } from '../tape/tensor';
import { copy, sliceOf, view } from './layout';

/** Sides of a grid of patches. */
export interface Grid {
  readonly rows: number;
  readonly columns: number;
}

export const positionsOf = ({ rows, columns }: Grid): number => rows * columns;

/** The grid filled up to whole windows. */
export const paddedTo = ({ rows, columns }: Grid, window: number): Grid => ({
  rows: Math.ceil(rows / window) * window,
  columns: Math.ceil(columns / window) * window,
});

/** `pad` of x [batch, positions, width]: a copy, and one of the gradient, even where nothing is added. */
export function pad(x: Tensor, grid: Grid): Tensor {
  const [batch = 1, , width = 1] = x.shape;
  return copy(x, [batch, positionsOf(grid), width]);
}

/**
 * `window_partition` and its reverse: positions in the order of windows, or back. A window as wide as the grid needs no copy.
 * The gradient takes the same way.
 */
export function reorderWindows(x: Tensor, { columns }: Grid, window: number): Tensor {
  return columns === window ? view(x, x.shape) : copy(x);
}

/** `roll` along rows and columns: two copies, of which the first goes; backward the same. */
export function roll(x: Tensor): Tensor {
  const { tape, shape, elementBytes } = x;
  const twice = (): Tensor => {
    const first = tape.create(shape, elementBytes);
    const second = tape.create(shape, elementBytes);
    release(first);
    return second;
  };
  const node = tape.record([x], [], () => [twice()]);
  const output = twice();
  if (node !== null) tape.attach(output, node, 0);
  tape.consume(x);
  return output;
}

/** `x[:, row::2, column::2]` of x [batch, positions, width], a view; backward fills rows, then the whole, with zeros. */
export function everySecond(x: Tensor, { rows, columns }: Grid): Tensor {
  const [batch = 1, , width = 1] = x.shape;
  const ofRows = sliceOf(x, [batch, (rows / 2) * columns, width]);
  return sliceOf(ofRows, [batch, (rows / 2) * (columns / 2), width]);
}

/**
 * `get_attn_mask`: which of nine regions each position is in after a shift, compared within each window; the mask
 * [windows, window², window²] in the hidden states' type, floating.
 */
export function shiftMask(x: Tensor, grid: Grid, window: number): Tensor {
  const { tape, elementBytes } = x;
  const { rows, columns } = grid;
  const count = positionsOf(grid);
  const area = window * window;
  const pairs = [count / area, area, area];
  const indices = [rows, columns].map((length) => tape.create([length], INT64));
  const regions = [rows, columns].map((length) => {
    const parts = [0, 1].map(() => {
      const beyond = tape.create([length], BOOL);
      const asNumber = tape.create([length], INT64);
      release(beyond);
      return asNumber;
    });
    const region = tape.create([length], INT64);
    for (const part of parts) release(part);
    return region;
  });
  const tripled = tape.create([rows], INT64);
  const wide = tape.create([rows, columns], INT64);
  release(tripled);
  const image = tape.create([count], elementBytes);
  release(wide);
  const inWindows = columns === window ? null : tape.create([count], elementBytes);
  const difference = tape.create(pairs, elementBytes);
  const differs = tape.create(pairs, BOOL);
  const filled = tape.create(pairs, elementBytes);
  release(differs);
  const same = tape.create(pairs, BOOL);
  const mask = tape.create(pairs, elementBytes);
  for (const used of [same, filled, difference, inWindows, image, ...regions, ...indices])
    if (used !== null) release(used);
  return mask;
}
