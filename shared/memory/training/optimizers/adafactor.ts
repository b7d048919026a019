/**
 * Adafactor as transformers has it: a row and a column of second moments for each matrix in fp32, a full moment for vectors, and
 * several fp32 copies of the parameter at hand while its update is made.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/optimization.py
 */
import { sumAll, sumColumns } from '../../operations/reductions';
import { release, type Tape } from '../../tape/tape';
import { elements, FP32, type Parameter, type Shape, type Tensor } from '../../tape/tensor';
import { OptimizerState, withGradient } from './state';

/** Names that outlive a parameter's turn in the loop: each goes when the next parameter rebinds it. */
interface Bound {
  gradient: Tensor | null;
  parameter: Tensor | null;
  update: Tensor | null;
}

/** A step over all parameters: see the head of this file. */
export function adafactor(tape: Tape, parameters: readonly Parameter[]): () => void {
  const state = new OptimizerState(tape);
  const norms = new Map<Parameter, Tensor>();
  return () => {
    const bound: Bound = { gradient: null, parameter: null, update: null };
    for (const parameter of withGradient(parameters)) updateOne(tape, parameter, state, norms, bound);
    for (const tensor of [bound.gradient, bound.parameter, bound.update])
      if (tensor !== null) release(tensor);
  };
}

function updateOne(
  tape: Tape,
  parameter: Parameter,
  state: OptimizerState,
  norms: Map<Parameter, Tensor>,
  bound: Bound,
): void {
  const { shape } = parameter;
  const narrow = parameter.elementBytes !== FP32;
  bound.gradient = rebind(bound.gradient, () => (narrow ? tape.create(shape, FP32) : null));
  const { rows, columns } = factors(shape);
  state.once(parameter, () => {
    if (columns === null) state.keep(shape, FP32);
    else {
      state.keep([rows], FP32);
      state.keep([columns], FP32);
    }
  });
  bound.parameter = rebind(bound.parameter, () => (narrow ? tape.create(shape, FP32) : null));
  keepNorm(tape, parameter, norms);
  const square = tape.create(shape, FP32);
  const shifted = tape.create(shape, FP32);
  release(square);
  if (bound.update !== null) release(bound.update);
  bound.update = columns === null ? plainUpdate(tape, shape) : factoredUpdate(tape, shape, rows, columns);
  release(shifted);
  // Its root mean square over the threshold limits the update.
  const scale = rootMeanSquare(tape, elements(shape), () => tape.create([1], FP32));
  const limit = tape.create([1], FP32);
  release(scale);
  release(limit);
  tape.scratch(elements(shape) * FP32);
}

/** Bytes of the second moments of a tensor. */
export function factoredBytes(shape: Shape): number {
  const { rows, columns } = factors(shape);
  return (rows + (columns ?? 0)) * FP32;
}

/** The old tensor of a name goes first: `grad = p.grad` comes before `grad = grad.float()`. */
function rebind(old: Tensor | null, make: () => Tensor | null): Tensor | null {
  if (old !== null) release(old);
  return make();
}

/** Rows and columns of a matrix's moments; a vector has one moment of its own size. */
function factors(shape: Shape): { readonly rows: number; readonly columns: number | null } {
  if (shape.length < 2) return { rows: elements(shape), columns: null };
  const columns = (shape[shape.length - 1] ?? 1) * elements(shape.slice(0, -2));
  return { rows: elements(shape.slice(0, -1)), columns };
}

/** The parameter's root mean square stays on the card until the next step replaces it. */
function keepNorm(tape: Tape, parameter: Parameter, norms: Map<Parameter, Tensor>): void {
  const old = norms.get(parameter);
  const made = rootMeanSquare(tape, elements(parameter.shape), () =>
    tape.createOwned([1], FP32, 'optimizer'),
  );
  norms.set(parameter, made);
  if (old !== undefined) release(old);
}

/** `tensor.norm(2) / constant`. */
function rootMeanSquare(tape: Tape, count: number, make: () => Tensor): Tensor {
  const norm = sumAll(tape, count);
  const scaled = make();
  release(norm);
  return scaled;
}

/** `exp_avg_sq.rsqrt()`, then in place. */
function plainUpdate(tape: Tape, shape: Shape): Tensor {
  return tape.create(shape, FP32);
}

/** Means over rows and columns into the moments, then their outer product. */
function factoredUpdate(tape: Tape, shape: Shape, rows: number, columns: number): Tensor {
  tape.scratch(rows * FP32);
  const matrices = elements(shape.slice(0, -2));
  release(matrices === 1 ? sumColumns(tape, rows, columns, FP32) : tape.create([columns], FP32));
  const rowMean = sumAll(tape, rows);
  const rowFactor = tape.create([rows], FP32);
  release(rowMean);
  const columnFactor = tape.create([columns], FP32);
  const update = tape.create(shape, FP32);
  release(rowFactor);
  release(columnFactor);
  return update;
}
