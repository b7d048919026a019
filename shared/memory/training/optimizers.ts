/** Optimizer steps: the state each keeps and what it allocates while it runs. */
import type { Tape } from '../tape/tape';
import { FP32, type Parameter, type Tensor } from '../tape/tensor';

export type OptimizerName = 'adamw' | 'adamw-fused' | 'adamw-loop' | 'sgd' | 'sgd-momentum';

/** An optimizer over the trained parameters, in their order. */
export interface Optimizer {
  /** One step; parameters without a gradient are skipped. State is made in the first. */
  step(): void;
}

export function createOptimizer(
  tape: Tape,
  name: OptimizerName,
  parameters: readonly Parameter[],
): Optimizer {
  const state = new OptimizerState(tape);
  const trained = (): Parameter[] => parameters.filter((parameter) => parameter.gradient !== null);
  const steps: Record<OptimizerName, () => void> = {
    adamw: () => {
      for (const parameter of trained()) state.twoMoments(parameter);
      // `_foreach_sqrt` makes the denominator of every parameter at once.
      releaseAll(
        tape,
        trained().map((parameter) => like(tape, parameter)),
      );
    },
    'adamw-fused': () => {
      for (const parameter of trained()) {
        state.stepCount(parameter);
        state.twoMoments(parameter);
      }
    },
    'adamw-loop': () => {
      for (const parameter of trained()) state.twoMoments(parameter);
      // The denominator stays bound to its name while the next parameter's is made.
      let denominator: Tensor | null = null;
      for (const parameter of trained()) {
        const root = like(tape, parameter);
        const next = like(tape, parameter);
        tape.release(root);
        if (denominator !== null) tape.release(denominator);
        denominator = next;
      }
      if (denominator !== null) tape.release(denominator);
    },
    sgd: () => undefined,
    'sgd-momentum': () => {
      for (const parameter of trained()) state.oneMoment(parameter);
    },
  };
  return { step: () => tape.frame([], () => tape.as('optimizer', steps[name])) };
}

function like(tape: Tape, parameter: Parameter): Tensor {
  return tape.create(parameter.shape, parameter.elementBytes);
}

function releaseAll(tape: Tape, tensors: readonly Tensor[]): void {
  for (const tensor of [...tensors].reverse()) tape.release(tensor);
}

/** What stays from step to step, made the first time a parameter has a gradient. */
class OptimizerState {
  private readonly moments = new Set<Parameter>();
  private readonly counts = new Set<Parameter>();

  constructor(private readonly tape: Tape) {}

  twoMoments(parameter: Parameter): void {
    if (this.moments.has(parameter)) return;
    this.moments.add(parameter);
    for (let count = 0; count < 2; count++)
      this.tape.createOwned(parameter.shape, parameter.elementBytes, 'optimizer');
  }

  oneMoment(parameter: Parameter): void {
    if (this.moments.has(parameter)) return;
    this.moments.add(parameter);
    this.tape.createOwned(parameter.shape, parameter.elementBytes, 'optimizer');
  }

  /** The fused kernel counts steps on the card, in fp32. */
  stepCount(parameter: Parameter): void {
    if (this.counts.has(parameter)) return;
    this.counts.add(parameter);
    this.tape.createOwned([], FP32, 'optimizer');
  }
}
