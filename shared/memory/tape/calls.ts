import { Tensor } from './tensor';

/** Depth of a handle that belongs to an object and to no call. */
export const noCall = -1;

/**
 * The calls that run at the moment and the handles that each owns: what is made in a call is freed when it returns, except what
 * it returns.
 */
export class Calls {
  depth = 0;
  /** Handles up to `height`; what is above is of calls that have returned. */
  private readonly stack: Tensor[] = [];
  /** Where the handles begin that are made from now on: see `adopt`. */
  height = 0;

  /** Gives a new handle to the running call, as the result of an expression. */
  float(tensor: Tensor): Tensor {
    tensor.floating = true;
    tensor.depth = this.depth;
    this.stack[this.height++] = tensor;
    return tensor;
  }

  /** Number of handles that calls own at the moment; 0 outside of all calls. */
  get openHandles(): number {
    let count = 0;
    for (let index = 0; index < this.height; index++) if (this.stack[index]?.alive === true) count++;
    return count;
  }

  /** Runs a call that holds its floating arguments until it returns. Returns what `body` returns, floating again. */
  run<T>(inputs: readonly Tensor[], body: () => T): T {
    const base = this.height;
    const depth = ++this.depth;
    for (const input of inputs) {
      if (!input.floating) continue;
      input.floating = false;
      input.isArgument = true;
      input.depth = depth;
      this.stack[this.height++] = input;
    }
    let returned: readonly Tensor[] = nothingReturned;
    try {
      const result = body();
      returned = tensorsIn(result);
      return result;
    } finally {
      this.depth = depth - 1;
      this.end(base, depth, returned);
    }
  }

  private end(base: number, depth: number, returned: readonly Tensor[]): void {
    const top = this.height;
    let height = base;
    for (let index = base; index < top; index++) {
      const tensor = this.stack[index];
      if (tensor === undefined || !tensor.alive || tensor.depth !== depth || returned.includes(tensor))
        continue;
      tensor.tape.release(tensor);
    }
    for (const tensor of returned) {
      if (tensor.depth !== depth || !tensor.alive) continue;
      tensor.floating = true;
      tensor.isArgument = false;
      tensor.depth = depth - 1;
      this.stack[height++] = tensor;
    }
    this.height = height;
  }

  /** Takes results out of the running call's care, which frees what else was made since `height` was `base`. */
  adopt(base: number, results: readonly (Tensor | null)[]): void {
    for (const tensor of results) {
      if (tensor !== null && tensor.depth >= 0) {
        tensor.depth = noCall;
        tensor.floating = false;
      }
    }
    for (let index = base; index < this.height; index++) {
      const tensor = this.stack[index];
      if (tensor !== undefined && tensor.alive && tensor.depth >= 0) tensor.tape.release(tensor);
    }
    this.height = base;
  }
}

const nothingReturned: readonly Tensor[] = [];

/** The tensors that a call returns: its result, or those in a list of results. */
function tensorsIn(result: unknown): readonly Tensor[] {
  if (result instanceof Tensor) return [result];
  return Array.isArray(result) ? result.filter((entry) => entry instanceof Tensor) : [];
}
