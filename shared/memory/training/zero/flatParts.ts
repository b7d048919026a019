/** How the flat buffer of ZeRO's stages 1 and 2 is divided among the processes. */
import { elements, type Parameter } from '../../tape/tensor';

/** A part begins on an even element: `nccl_start_alignment_factor`. */
const alignmentElements = 2;

/** A stretch of a parameter that one process updates. */
interface Slice {
  readonly rank: number;
  readonly elements: number;
}

/** Where a parameter's gradient belongs. */
export interface FlatParameter {
  readonly parameter: Parameter;
  /** One for each process whose part it touches, in order. */
  readonly slices: readonly Slice[];
}

/** Elements of each process' part: all of one size, the last ones padded. */
export function partElements(parameters: readonly Parameter[], world: number): number {
  const total = parameters.reduce((sum, { shape }) => sum + elements(shape), 0);
  return Math.ceil(total / (alignmentElements * world)) * alignmentElements;
}

/** Parameters one after the other in the flat buffer, cut where parts end. */
export function placeInParts(parameters: readonly Parameter[], part: number): readonly FlatParameter[] {
  let start = 0;
  return parameters.map((parameter) => {
    const end = start + elements(parameter.shape);
    const slices: Slice[] = [];
    while (start < end) {
      const rank = Math.floor(start / part);
      const until = Math.min(end, (rank + 1) * part);
      slices.push({ rank, elements: until - start });
      start = until;
    }
    return { parameter, slices };
  });
}

/** `round_robin_gradients`: the first of every `world` parameters, then the second of each, and so on. */
export function dealtOut(parameters: readonly Parameter[], world: number): readonly Parameter[] {
  return Array.from({ length: world }, (_, turn) =>
    parameters.filter((_parameter, index) => index % world === turn),
  ).flat();
}

/** Elements of a parameter in a process' part; null: it is not in it. */
export const elementsIn = ({ slices }: FlatParameter, rank: number): number | null =>
  slices.find((slice) => slice.rank === rank)?.elements ?? null;

/** The stretches of a bucket that go to one process each, neighbours for the same process joined. */
export function stretchesOf(bucket: readonly FlatParameter[]): readonly number[] {
  const stretches: number[] = [];
  let before: number | null = null;
  for (const { slices } of bucket)
    for (const { elements: count, rank } of slices) {
      if (rank === before) stretches.push((stretches.pop() ?? 0) + count);
      else stretches.push(count);
      before = rank;
    }
  return stretches;
}
