/** Whether a model has the modules that a family's own code asks for. */
import type { Architecture } from '../../model/architecture';
import { H200 } from '../cards';
import { repetitionOf, withRepeats } from '../fewerLayers';
import { MOST_REPEATS } from '../quick';
import { simulate } from '../simulation';
import { MissingPart } from '../tape/module';
import type { FamilyForward } from './context';

/** An architecture never changes, and is asked about once for every plan. */
const known = new WeakMap<Architecture, boolean>();

/**
 * Tries the code on a few of the layers, where they are alike. Classes of one family differ in where their layers stand and in what stands
 * around them (`LlamaForQuestionAnswering` calls its decoder `transformer`), and no list of exceptions would hold for the next one.
 */
export function suits(family: FamilyForward, architecture: Architecture): boolean {
  const answer = known.get(architecture) ?? plays(family, architecture);
  known.set(architecture, answer);
  return answer;
}

function plays(family: FamilyForward, architecture: Architecture): boolean {
  const repetition = repetitionOf(architecture);
  const model =
    repetition === null || repetition.repeats <= MOST_REPEATS
      ? architecture
      : withRepeats(architecture, repetition, MOST_REPEATS);
  try {
    simulate(
      model,
      family,
      {
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
      },
      H200,
    );
    return true;
  } catch (error) {
    if (error instanceof MissingPart) return false;
    throw error;
  }
}
