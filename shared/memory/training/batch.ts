/** The batch of a training step, as collators and the models' own code expect it. */
import type { Architecture, Stack } from '../../model/architecture';
import { isImageModel } from '../check';
import type { TrainingSettings } from '../configuration';
import { framesOf, patchesOf } from '../inputLengths';
import type { Tape } from '../tape/tape';
import { FP32, INT64 } from '../tape/tensor';

/** Element size of the pixels that the model is given. `builtBytes`: that of its weights. */
export const pixelBytesOf = ({ pixels }: TrainingSettings, builtBytes: number): number =>
  pixels === 'fp32' ? FP32 : builtBytes;

/** Puts the batch on the card; it lives as long as the step. `builtBytes`: element size of the weights as built. */
export function makeBatch(
  tape: Tape,
  architecture: Architecture,
  settings: TrainingSettings,
  builtBytes: number,
): void {
  const { microBatch, sequence } = settings;
  const { head, stacks } = architecture;
  const numbers = (perSample: number): void => {
    tape.createOwned([microBatch, perSample], INT64, 'buffers');
  };
  const images = (): void => {
    makeImages(tape, architecture, microBatch, pixelBytesOf(settings, builtBytes));
  };
  if (isImageModel(architecture)) {
    images();
    tape.createOwned([microBatch], INT64, 'buffers');
    return;
  }
  const isEncoderDecoder = head.kind === 'language-model' && head.objective === 'sequence-to-sequence';
  const audio = audioOf(stacks);
  // Speech models do not cast what they hear.
  if (audio > 0) tape.createOwned([microBatch, audio], builtBytes, 'buffers');
  if (audio > 0 && isEncoderDecoder) {
    numbers(sequence);
    return;
  }
  if (head.kind === 'contrastive') {
    const length = textLength(architecture, sequence);
    numbers(length);
    numbers(length);
    images();
    return;
  }
  if (head.kind === 'classifier' && head.over !== 'tokens') {
    // Token ids and a padding mask of ones; a label for the whole, or the two ends of an answer.
    for (let count = 0; count < 2; count++) numbers(sequence);
    for (let count = 0; count < (head.over === 'span' ? 2 : 1); count++) numbers(1);
    return;
  }
  // Encoder-decoders are given no padding mask.
  for (let count = 0; count < (isEncoderDecoder ? 2 : 3); count++) numbers(sequence);
}

/** One image a sample, where the model sees any. */
export function makeImages(
  tape: Tape,
  { stacks }: Architecture,
  samples: number,
  elementBytes: number,
): void {
  const pixels = pixelsOf(stacks);
  if (pixels > 0) tape.createOwned([samples, pixels], elementBytes, 'buffers');
}

/** Elements of one image; 0 for models that see none. */
export function pixelsOf(stacks: readonly Stack[]): number {
  for (const { inputs } of stacks)
    if (inputs.kind === 'patches') return inputs.channels * patchesOf(inputs) * inputs.patchSize ** 2;
  return 0;
}

/** Elements of a sample's spectrogram, which has two columns a frame; 0 for models that hear none. */
function audioOf(stacks: readonly Stack[]): number {
  for (const { inputs } of stacks) if (inputs.kind === 'audio') return inputs.melBins * 2 * framesOf(inputs);
  return 0;
}

/** Tokens of the text beside an image: processors fill or cut it to what the text's tower has positions for. */
export function textLength({ stacks }: Architecture, sequence: number): number {
  const text = stacks.find(({ inputs }) => inputs.kind === 'tokens');
  const limit = text?.maxPositions ?? sequence;
  return sequence === 0 ? limit : Math.min(sequence, limit);
}
