/**
 * The quick peak of one stage of a pipeline. All micro-batches in flight keep the same bytes, so a step with one at a time tells the peak
 * of a step with several: every further one adds what a forward leaves behind.
 */
import type { Architecture } from '../model/architecture';
import { roundedBytes } from './allocator/allocator';
import type { TrainingSettings } from './configuration';
import type { FamilyForward } from '../families/forward';
import { repetitionOf, withRepeats } from './fewerLayers';
import { mostRepeats, mostLiveBytes } from './quick';
import { type StepSimulation, simulatePart } from './simulation';
import { allocationOf, isAllocation, isFree } from './tape/log';
import type { CardTraits } from './tape/tape';
import { elements } from './tape/tensor';
import type { Spread } from './training/distribution';
import { partOf } from './training/part';
import { type StageSettings, stageSettings } from './training/pipeline/stageRun';
import { typesOf } from './training/types';

/** Most bytes allocated at once on the stage of `spread`, which must be a pipeline's: throws for another. */
export function quickStagePeakBytes(
  architecture: Architecture,
  family: FamilyForward,
  settings: TrainingSettings,
  card: CardTraits,
  spread: Spread,
): number {
  const { pipeline } = spread;
  if (pipeline === null) throw new Error('Only a pipeline has stages.');
  const { accumulation } = settings;
  const part = partOf(architecture, spread);
  const alone: Spread = { ...spread, pipeline: { ...pipeline, inFlight: 1 } };
  const playing = (count: number): ((model: Architecture) => StepSimulation) =>
    remembered((model) =>
      simulatePart(
        { ...part, architecture: model },
        family,
        { ...settings, accumulation: count },
        card,
        alone,
      ),
    );
  const several = playing(accumulation);
  if (pipeline.inFlight === 1) return mostLiveBytes(part.architecture, several);
  const waiting = pipeline.inFlight - 1;
  const kept = keptBytes(part.architecture, several);
  // A forward meets gradients only where a backward has run before it.
  if (accumulation > pipeline.inFlight) return mostLiveBytes(part.architecture, several, waiting * kept);
  const { builtBytes } = typesOf(settings.precision, spread);
  const missingBuffers = bufferBytes(stageSettings(part.architecture, settings, pipeline, builtBytes));
  return Math.max(
    mostLiveBytes(part.architecture, playing(1), waiting * kept + (accumulation - 1) * missingBuffers),
    mostLiveBytes(part.architecture, several, (waiting - 1) * kept),
  );
}

/** Models that differ by their number of layers only, each played once. */
function remembered(play: (model: Architecture) => StepSimulation): (model: Architecture) => StepSimulation {
  const played = new Map<number, StepSimulation>();
  return (model) => {
    const layers = model.stacks.reduce((sum, stack) => sum + stack.layers.length, 0);
    const known = played.get(layers) ?? play(model);
    played.set(layers, known);
    return known;
  };
}

/** Receive buffers of one micro-batch. */
function bufferBytes({ hiddenBytes, hiddenShape, place }: StageSettings): number {
  if (place.oneProcess) return 0;
  const { count, index } = place.stage;
  const buffers = (index > 0 ? 1 : 0) + (index < count - 1 ? 1 : 0);
  return buffers * roundedBytes(elements(hiddenShape) * hiddenBytes);
}

/** What a forward leaves behind for its backward; it grows evenly with the layers. */
function keptBytes(architecture: Architecture, play: (model: Architecture) => StepSimulation): number {
  const repetition = repetitionOf(architecture);
  if (repetition === null || repetition.repeats <= mostRepeats) return keptBySecond(play(architecture));
  const [fewer, more] = [mostRepeats - 1, mostRepeats].map((repeats) =>
    keptBySecond(play(withRepeats(architecture, repetition, repeats))),
  );
  if (fewer === undefined || more === undefined) throw new Error('Two models were played.');
  return more + (more - fewer) * (repetition.repeats - mostRepeats);
}

/** Live bytes that the second micro-batch's forward adds to what was there before it. */
function keptBySecond({ log }: StepSimulation): number {
  const [, second] = log.marks.filter(({ moment }) => moment.end === 'forward');
  const [first] = log.marks.filter(({ moment }) => moment.end === 'backward');
  if (first === undefined || second === undefined) throw new Error('Two micro-batches were played.');
  let live = 0;
  for (let event = first.event; event < second.event; event++) {
    const code = log.code(event);
    const bytes = roundedBytes(log.bytes(allocationOf(code)));
    if (isAllocation(code)) live += bytes;
    else if (isFree(code)) live -= bytes;
  }
  return live;
}
