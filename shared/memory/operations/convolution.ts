/**
 * Convolutions, as vision models cut images into patches and speech models shorten their spectrograms.
 *
 * cuDNN's source is closed: which kernel it takes, and what the kernel needs for itself, was observed on an H200 with cuDNN 9.
 * In 16 bit its tensor-core kernels read channels last, so input, weight and output are rearranged in a workspace, with channels
 * filled up to 8. In fp32 they do the same, by 4, where there is much to do.
 */
import { callLayer, callTable, type Module } from '../tape/module';
import type { Tape } from '../tape/tape';
import { elements, FP32, HALF, type Shape, type Tensor } from '../tape/tensor';
import { sumColumns } from './reductions';

/** Channels that one load of a tensor-core kernel takes. */
const loadBytes = 16;
const workspaceTailBytes = 16;
/** What kernels whose windows overlap keep beside that. */
const overlapBytes = 131;
/** Kernels of the weight's gradient that share sums or have more blocks than run at once, and those in fp32, count their blocks. */
const counterBytes = 128;
/** Below as many output positions, fp32 kernels read memory as it lies. */
const manyPositions = 1024;
/** Windows of fewer elements are read as they lie, in any type. */
const smallWindow = 64;
/** A block of the weight's gradient has as many rows and columns; where few blocks do, the positions are divided among more. */
const blockSide = 128;
const multiprocessorsPerPart = 4;

/** One convolution by its sizes. */
export interface ConvolutionCall {
  /** [batch, channels, positions]. */
  readonly inputShape: Shape;
  /** Null: the batch's own tensor, which needs no gradient. */
  readonly input: Tensor | null;
  /** [batch, positions, width], a view of memory that has the width before the positions. */
  readonly outputShape: Shape;
  /** Patches do not overlap; windows of speech models do, and step on by one or by more positions. */
  readonly windows: 'patches' | 'overlapping' | 'striding';
  /** The output's gradient comes in the order of memory, not as rows of channels that have to be made contiguous. */
  readonly gradientInOrder?: boolean;
}

/** `nn.Conv1d`, `nn.Conv2d`: keeps input and weight. */
export function convolution(module: Module, call: ConvolutionCall): Tensor {
  const { standIn, tape } = module;
  const { input, outputShape } = call;
  if (standIn !== null) return standIn(outputShape);
  tape.usesCudnn = true;
  const convolve = (x: Tensor | null): Tensor => convolved(module, call, x);
  return input === null ? callTable(module, [], () => convolve(null)) : callLayer(module, input, convolve);
}

function convolved(module: Module, call: ConvolutionCall, input: Tensor | null): Tensor {
  const { tape } = module;
  const { inputShape, outputShape, gradientInOrder = false } = call;
  const bias = module.optional('bias');
  const castBias = bias === null ? null : tape.castForProduct(bias);
  const weight = tape.castForProduct(module.parameter('weight'));
  const { elementBytes, shape: weightShape } = weight;
  const needsCast = tape.autocast && input === null;
  const image = needsCast
    ? tape.create(inputShape, HALF)
    : input === null
      ? null
      : tape.castForProduct(input);
  const needsImage = image !== null && tape.needs(image);
  const workspaces = workspacesOf(tape, call, weightShape, elementBytes);
  const node = tape.record([image, weight, castBias], [image, weight], () => {
    const ordered = gradientInOrder ? null : tape.create(outputShape, elementBytes);
    const toImage = needsImage ? tape.create(inputShape, elementBytes) : null;
    if (toImage !== null) use(tape, workspaces.inputGradient);
    const toWeight = tape.create(weightShape, elementBytes);
    use(tape, workspaces.weightGradient);
    if (ordered !== null) tape.release(ordered);
    return [toImage, toWeight, bias === null ? null : biasGradient(tape, call, elementBytes)];
  });
  const output = tape.create(outputShape, elementBytes);
  output.positionsFirst = true;
  use(tape, workspaces.forward);
  if (node !== null) tape.attach(output, node, 0);
  for (const used of [image, weight, castBias]) if (used !== null) tape.consume(used);
  return output;
}

/** The sum of the output's gradient: over rows of channels, or over each channel's own positions, which one block does. */
function biasGradient(tape: Tape, { outputShape, gradientInOrder }: ConvolutionCall, bytes: number): Tensor {
  const [batch = 1, positions = 1, width = 1] = outputShape;
  return gradientInOrder === true
    ? tape.create([width], bytes)
    : sumColumns(tape, batch * positions, width, bytes);
}

function use(tape: Tape, bytes: number): void {
  if (bytes > 0) tape.scratch(bytes);
}

interface Workspaces {
  readonly forward: number;
  readonly inputGradient: number;
  readonly weightGradient: number;
}

function workspacesOf(
  tape: Tape,
  { inputShape, outputShape, windows }: ConvolutionCall,
  weightShape: Shape,
  elementBytes: number,
): Workspaces {
  const [width = 1, channels = 1] = weightShape;
  const group = loadBytes / elementBytes;
  const filled = (Math.ceil(channels / group) * group) / channels;
  const read = elementBytes * filled * (elements(inputShape) + elements(weightShape));
  const rearranged = read + elementBytes * elements(outputShape);
  const tail = workspaceTailBytes + (windows === 'patches' ? 0 : overlapBytes);
  const counters = windows === 'patches' ? counterBytes : counterBytes / 2;
  const window = elements(weightShape) / width;
  const blocks = Math.ceil(width / blockSide) * Math.ceil((window * filled) / blockSide);
  const parts = sharedSums(tape, blocks);
  const counts = parts > 0 || blocks > tape.card.multiprocessors;
  if (elementBytes === HALF)
    return {
      forward: window < smallWindow ? HALF * width : rearranged + tail,
      inputGradient: rearranged + tail,
      weightGradient: rearranged + parts + (parts > 0 ? tail : workspaceTailBytes) + (counts ? counters : 0),
    };
  if (windows === 'overlapping')
    return { forward: read + workspaceTailBytes, inputGradient: rearranged + tail, weightGradient: 0 };
  if (windows === 'striding')
    return {
      forward: rearranged + tail,
      inputGradient: rearranged + tail,
      weightGradient: rearranged + workspaceTailBytes,
    };
  const [batch = 1, positions = 1] = outputShape;
  return {
    forward: 0,
    inputGradient: 0,
    weightGradient: batch * positions < manyPositions ? 0 : rearranged + workspaceTailBytes + counterBytes,
  };
}

/** Partial sums in fp32 where the weight's gradient has too few blocks to keep the multiprocessors busy; 0 where it has enough. */
function sharedSums(tape: Tape, blocks: number): number {
  const parts = Math.ceil(tape.card.multiprocessors / multiprocessorsPerPart / blocks);
  return parts <= 1 ? 0 : parts * blocks * blockSide * blockSide * FP32;
}
