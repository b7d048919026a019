/** Table look-ups. */
import { callTable, type Module } from '../tape/module';
import { elements, FP32, INT64, type Shape, type Tensor, width } from '../tape/tensor';
import { exclusiveSumBytes, radixSortBytes, uniqueByKeyBytes } from './sorting';

/** Up to this many indices one kernel adds their rows; more are sorted first. */
const unsortedIndices = 3072;
/** Equal indices are summed in parts of as many rows. */
const rowsPerPart = 10;
/** Tables with as few rows, each hit often, have their parts added up by atomic operations. */
const atomicRows = 512;
const atomicPartsPerRow = 4;
/** Bits of an int64 index, all of which are sorted. */
const keyBits = 64;

/**
 * `nn.Embedding`: keeps the indices; backward makes a gradient of the whole table. `indices` null: they belong to the
 * batch, which lives through the step anyway.
 */
export function embedding(module: Module, indexShape: Shape, indices: Tensor | null): Tensor {
  const { standIn, tape } = module;
  const table = module.parameter('weight');
  const { shape, elementBytes } = table;
  const outputShape = [...indexShape, width(shape)];
  if (standIn !== null) return standIn(outputShape);
  return callTable(module, indices === null ? [] : [indices], () =>
    tape.apply([table], [indices], outputShape, elementBytes, (gradient) => [
      tableGradient(gradient, shape, elements(indexShape)),
    ]),
  );
}

/**
 * The gradient of a table that `count` indices looked up. Many indices are sorted with their positions; runs of equal ones are
 * found, cut into parts and summed part by part, in fp32, before the parts are added up.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/aten/src/ATen/native/cuda/EmbeddingBackwardKernel.cu
 */
export function tableGradient(gradient: Tensor, shape: Shape, count: number): Tensor {
  const { tape, elementBytes } = gradient;
  const vector = (size: number): Tensor => tape.create([size], INT64);
  if (count <= unsortedIndices) return tape.create(shape, elementBytes);
  const sorted = vector(count);
  const positions = vector(count);
  const range = vector(count);
  tape.scratch(radixSortBytes(count, keyBits));
  tape.release(range);
  const result = tape.create(shape, elementBytes);
  const runs = vector(count);
  const runCount = vector(1);
  const uniqueKeys = vector(count);
  tape.scratch(uniqueByKeyBytes(count));
  tape.release(uniqueKeys);
  const [rows = 1] = shape;
  const maxRuns = Math.min(count, rows);
  const partsOfRun = vector(maxRuns);
  const firstPart = vector(maxRuns);
  tape.scratch(exclusiveSumBytes(maxRuns));
  const partCount = vector(1);
  const parts = Math.floor(count / rowsPerPart) + maxRuns;
  const partOffsets = vector(parts);
  const work: Tensor[] = [];
  if (maxRuns <= atomicRows && parts >= atomicPartsPerRow * maxRuns) {
    work.push(vector(parts));
    if (elementBytes !== FP32) work.push(tape.create(shape, FP32));
  } else work.push(tape.create([parts, width(shape)], FP32));
  const used = [sorted, positions, runs, runCount, partsOfRun, firstPart, partCount, partOffsets, ...work];
  for (const tensor of used.reverse()) tape.release(tensor);
  return result;
}

/** As `embedding`, with indices that are an expanded view: the kernel reads a copy of them, forward and backward. */
export function embeddingOfExpanded(module: Module, indexShape: Shape, indices: Tensor): Tensor {
  const { tape } = module;
  const table = module.parameter('weight');
  const { shape, elementBytes } = table;
  const copyIndices = (): Tensor => tape.create(indexShape, indices.elementBytes);
  return callTable(module, [indices], () => {
    const node = tape.record([table], [indices], (gradient) => {
      const copied = copyIndices();
      const result = tableGradient(gradient, shape, elements(indexShape));
      tape.release(copied);
      return [result];
    });
    const copied = copyIndices();
    const output = tape.create([...indexShape, width(shape)], elementBytes);
    tape.release(copied);
    if (node !== null) tape.attach(output, node, 0);
    return output;
  });
}

/**
 * A table's rows for pairs of positions, looked at as `shape` with heads in front. The gradient comes with heads in front, too, and
 * is copied for the table.
 */
export function embeddingHeadsFirst(module: Module, indices: Tensor, shape: Shape): Tensor {
  const { tape } = module;
  const table = module.parameter('weight');
  const { elementBytes, shape: tableShape } = table;
  return callTable(module, [indices], () =>
    tape.apply([table], [indices], shape, elementBytes, (gradient) => {
      const ordered = tape.create(shape, gradient.elementBytes);
      const result = tableGradient(gradient, tableShape, elements(indices.shape));
      tape.release(ordered);
      return [result];
    }),
  );
}

/**
 * `table[indices]` of a parameter: keeps the indices; null where they are a buffer of the model. Backward fills a table with zeros
 * and adds the rows at the sorted indices; `gradientCopied`: rows that come in another order are copied first.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/aten/src/ATen/native/cuda/Indexing.cu
 */
export function gatherRows(
  table: Tensor,
  indexShape: Shape,
  indices: Tensor | null,
  gradientCopied = false,
): Tensor {
  const { tape, elementBytes, shape } = table;
  const [rows = 1, size = 1] = shape;
  const count = elements(indexShape);
  const vector = (): Tensor => tape.create([count], INT64);
  return tape.apply([table], [indices], [...indexShape, size], elementBytes, (gradient) => {
    const result = tape.create(shape, gradient.elementBytes);
    const strided = vector();
    const linear = vector();
    tape.release(strided);
    const values = gradientCopied ? tape.create([count, size], gradient.elementBytes) : null;
    const sorted = [linear, vector(), vector(), vector()];
    tape.scratch(radixSortBytes(count, Math.ceil(Math.log2(rows + 1))));
    for (const used of [...sorted.reverse(), values]) if (used !== null) tape.release(used);
    return [result];
  });
}
