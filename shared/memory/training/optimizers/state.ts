import type { Tape } from '../../tape/tape';
import type { Parameter, Shape, Tensor } from '../../tape/tensor';

/** What an optimizer keeps from step to step, made the first time a parameter has a gradient. */
export class OptimizerState {
  private readonly made = new Set<Parameter>();

  constructor(private readonly tape: Tape) {}

  /** Makes a parameter's state once; `build` is given to the tape as optimizer memory. */
  once(parameter: Parameter, build: () => void): void {
    if (this.made.has(parameter)) return;
    this.made.add(parameter);
    build();
  }

  /** Tensors of the parameter's shape and type, such as moments. */
  like(parameter: Parameter, count: number): void {
    this.once(parameter, () => {
      for (let index = 0; index < count; index++) this.keep(parameter.shape, parameter.elementBytes);
    });
  }

  /** One tensor of state. */
  keep(shape: Shape, elementBytes: number): Tensor {
    return this.tape.createOwned(shape, elementBytes, 'optimizer');
  }
}

/** A temporary tensor of the parameter's shape and type. */
export function like(tape: Tape, parameter: Parameter): Tensor {
  return tape.create(parameter.shape, parameter.elementBytes);
}

/** The trained parameters that have a gradient, in their order. */
export function withGradient(parameters: readonly Parameter[]): readonly Parameter[] {
  return parameters.filter(({ gradient }) => gradient !== null);
}
