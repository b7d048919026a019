/** Whether a model has the modules and facts that a family's own code asks for. */
import type { Architecture } from '../../model/architecture';
import { H200 } from '../cards';
import type { TrainingSettings } from '../configuration';
import { repetitionOf, withRepeats } from '../fewerLayers';
import { mostRepeats } from '../quick';
import { simulate } from '../simulation';
import { MissingPart } from '../tape/module';
import type { FamilyForward } from './context';

/** An architecture never changes, and is asked about once for every plan. */
const answers = new WeakMap<FamilyForward, WeakMap<Architecture, boolean>>();

/**
 * Tries the code on a few of the layers, where they are alike. Classes of one family differ in where their layers stand and in what stands
 * around them, and no list of exceptions would hold for the next one.
 *
 * False where the code asked for what the model does not have (`MissingPart`). Any other error is a mistake in the code, not a fact of the
 * model, and is thrown.
 */
export function suits(family: FamilyForward, architecture: Architecture): boolean {
  const known = answers.get(family) ?? new WeakMap<Architecture, boolean>();
  answers.set(family, known);
  const answer = known.get(architecture) ?? plays(family, architecture);
  known.set(architecture, answer);
  return answer;
}

/** The shortest step: what the code asks for does not depend on it. */
const SHORTEST_STEP: TrainingSettings = {
  method: { kind: 'full' },
  precision: 'amp-bf16',
  optimizer: 'sgd',
  microBatch: 1,
  sequence: 1,
  accumulation: 1,
  checkpointing: { kind: 'none' },
  attention: 'sdpa',
  clipGradients: false,
  pixels: 'fp32',
};

function plays(family: FamilyForward, architecture: Architecture): boolean {
  const repetition = repetitionOf(architecture);
  const model =
    repetition === null || repetition.repeats <= mostRepeats
      ? architecture
      : withRepeats(architecture, repetition, mostRepeats);
  try {
    simulate(model, family, SHORTEST_STEP, H200);
    return true;
  } catch (error) {
    if (error instanceof MissingPart) return false;
    throw error;
  }
}
