/** Whether a model has the modules and facts that a family's own code asks for. */
import type { FamilyForward } from '../families/forward';
import type { Architecture } from '../model/architecture';
import { H200 } from '../gpu/models';
import type { TrainingSettings } from './configuration';
import { repetitionOf, withRepeats } from './fewerLayers';
import { mostRepeats } from './quick';
import { simulate } from './simulation';
import { MissingPart } from './tape/module';

/** What a dry run of a family's code on a model found. */
export type DryRun =
  | { readonly kind: 'complete' }
  /** The code asked for what the model does not have, which `reason` names in English, for developers. */
  | { readonly kind: 'incomplete'; readonly reason: string };

/** An architecture never changes, and is asked about once for every plan. */
const runs = new WeakMap<FamilyForward, WeakMap<Architecture, DryRun>>();

/**
 * Runs the code once on a few of the layers, where they are alike. Classes of one family differ in where their layers stand and in what
 * stands around them, and no list of exceptions would hold for the next one.
 *
 * Any error but `MissingPart` is a mistake in the code, not a fact of the model, and is thrown.
 */
export function dryRun(family: FamilyForward, architecture: Architecture): DryRun {
  const known = runs.get(family) ?? new WeakMap<Architecture, DryRun>();
  runs.set(family, known);
  const run = known.get(architecture) ?? runOnce(family, architecture);
  known.set(architecture, run);
  return run;
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
  gradientSync: null,
  reduceType: 'fp32',
  pixels: 'fp32',
};

function runOnce(family: FamilyForward, architecture: Architecture): DryRun {
  const repetition = repetitionOf(architecture);
  const model =
    repetition === null || repetition.repeats <= mostRepeats
      ? architecture
      : withRepeats(architecture, repetition, mostRepeats);
  try {
    simulate(model, family, SHORTEST_STEP, H200);
    return { kind: 'complete' };
  } catch (error) {
    if (error instanceof MissingPart) return { kind: 'incomplete', reason: error.message };
    throw error;
  }
}
