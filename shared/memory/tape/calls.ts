import { Tensor } from './tensor';

/** Depth of a handle that belongs to an object and to no call. */
export const NO_CALL = -1;

/**
 * The calls that run at the moment and the handles that each owns: what is made in a call is freed when it returns, except what
 * it returns.
 */
export class Calls {
  depth = 0;
  private readonly stack: Tensor[] = [];

  /** Gives a new handle to the running call, as the result of an expression. */
  float(tensor: Tensor): Tensor {
    tensor.floating = true;
    tensor.depth = this.depth;
    this.stack.push(tensor);
    return tensor;
  }

  /** Number of handles that calls own at the moment; 0 outside of all calls. */
  get openHandles(): number {
    return this.stack.reduce((count, tensor) => count + (tensor.alive ? 1 : 0), 0);
  }

  /** Where the handles begin that are made from now on: see `adopt`. */
  get height(): number {
    return this.stack.length;
  }

  /** Runs a call that holds its floating arguments until it returns. Returns what `body` returns, floating again. */
  run<T>(inputs: readonly Tensor[], body: () => T): T {
    const base = this.stack.length;
    const depth = ++this.depth;
    for (const input of inputs) {
      if (!input.floating) continue;
      input.floating = false;
      input.isArgument = true;
      input.depth = depth;
      this.stack.push(input);
    }
    let returned: readonly Tensor[] = [];
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
    const kept: Tensor[] = [];
    for (const tensor of returned) {
      if (tensor.depth === depth && tensor.alive) kept.push(tensor);
    }
    for (let index = base; index < this.stack.length; index++) {
      const tensor = this.stack[index];
      if (tensor === undefined || !tensor.alive || tensor.depth !== depth || kept.includes(tensor)) continue;
      tensor.tape.release(tensor);
    }
    this.stack.length = base;
    for (const tensor of kept) {
      tensor.floating = true;
      tensor.isArgument = false;
      tensor.depth = depth - 1;
      this.stack.push(tensor);
    }
  }

  /** Takes results out of the running call's care, which frees what else was made since `height` was `base`. */
  adopt(base: number, results: readonly (Tensor | null)[]): void {
    for (const tensor of results) {
      if (tensor !== null && tensor.depth >= 0) {
        tensor.depth = NO_CALL;
        tensor.floating = false;
      }
    }
    for (let index = base; index < this.stack.length; index++) {
      const tensor = this.stack[index];
      if (tensor !== undefined && tensor.alive && tensor.depth >= 0) tensor.tape.release(tensor);
    }
    this.stack.length = base;
  }
}

/** The tensors that a call returns: its result, or those in a list of results. */
function tensorsIn(result: unknown): readonly Tensor[] {
  if (result instanceof Tensor) return [result];
  return Array.isArray(result) ? result.filter((entry) => entry instanceof Tensor) : [];
}
