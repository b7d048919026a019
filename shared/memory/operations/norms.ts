/** Norms: the fused LayerNorm kernel and RMSNorm as transformers writes it in Python. */
import type { Norm } from '../../model/architecture';
import { callLayer, type Module } from '../tape/module';
import { hold, last, release, type Tape } from '../tape/tape';
import { sumColumns } from './reductions';
import { elements, FP32, HALF, type Tensor, width, withWidth } from '../tape/tensor';
import { add, addConstant, cast, inverseSquareRoot, multiply, power, subtract } from './elementwise';
import { divide } from './similarity';

/** The norm that an architecture names. */
export function normalize(module: Module, x: Tensor, norm: Norm): Tensor {
  if (norm.kind === 'layer') {
    if (norm.onePlusWeight) return layerNormOnePlus(module, x);
    if (!norm.fp32) return layerNorm(module, x);
    return norm.weight ? writtenLayerNorm(module, x) : plainLayerNorm(module, x);
  }
  if (norm.onePlusWeight) return rmsNormOnePlus(module, x);
  return norm.fp32 ? wideRmsNorm(module, x) : rmsNorm(module, x);
}

/**
 * `nn.LayerNorm`: keeps its input and the mean and reciprocal deviation of each row in fp32; backward makes the input's,
 * weight's and bias' gradients. Autocast runs it in fp32. Kernels read rows in order: `copies` says whether the input or the
 * output's gradient lies otherwise and is copied for them.
 */
export function layerNorm(module: Module, input: Tensor, copies: RowCopies = noCopies): Tensor {
  return callLayer(module, input, (x) => {
    const rows = module.tape.autocast ? cast(x, FP32) : x;
    // A cast has laid out the rows of a slice, but keeps another order of dimensions.
    const reordered = x.positionsFirst && x.shape.length === 3;
    const needed = { ...copies, input: reordered || (copies.input && rows === x) };
    return layerNormKernel(rows, module.optional('weight'), module.optional('bias'), needed);
  });
}

/** OLMo's LayerNorm: the kernel on the input in fp32, without weight or bias. */
function plainLayerNorm(module: Module, input: Tensor): Tensor {
  return callLayer(module, input, (x) => cast(layerNormKernel(cast(x, FP32), null, null), x.elementBytes));
}

/** Nemotron's LayerNorm: the kernel with (1 + weight), everything in autocast's type. */
function layerNormOnePlus(module: Module, input: Tensor): Tensor {
  const { tape } = module;
  return callLayer(module, input, (x) => {
    const bytes = tape.autocast ? HALF : x.elementBytes;
    const weight = hold(addConstant(module.parameter('weight')));
    const rows = cast(x, bytes);
    const narrowWeight = hold(cast(weight, bytes));
    const bias = module.optional('bias');
    const narrowBias = bias === null ? null : cast(bias, bytes);
    if (narrowWeight !== weight) release(weight);
    return layerNormKernel(rows, narrowWeight, narrowBias);
  });
}

/** What a LayerNorm kernel copies because its rows are not in order. */
export interface RowCopies {
  readonly input: boolean;
  readonly gradient: boolean;
}

const noCopies: RowCopies = { input: false, gradient: false };

/** The LayerNorm kernel; x, weight and bias have one type. */
function layerNormKernel(
  input: Tensor,
  weight: Tensor | null,
  bias: Tensor | null,
  copies: RowCopies = noCopies,
): Tensor {
  const { tape } = input;
  const inputs = [input, weight, bias].filter((tensor) => tensor !== null);
  return tape.frame(inputs, () => {
    const { shape, elementBytes } = input;
    const rows = elements(shape) / width(shape);
    const [needsInput, needsWeight] = [tape.needs(input), tape.needs(weight)];
    const rowByRow = (wanted: boolean): Tensor | null => (wanted ? tape.create(shape, elementBytes) : null);
    const node = tape.record([input, weight, bias], [input, weight, bias], () => {
      // Freed when the node has run.
      rowByRow(copies.input);
      const toInput = needsInput ? tape.create(shape, elementBytes) : null;
      const toWeight = needsWeight && weight !== null ? tape.create(weight.shape, elementBytes) : null;
      const toBias = needsWeight && bias !== null ? tape.create(bias.shape, elementBytes) : null;
      const laidOut = rowByRow(copies.gradient);
      const sums = sumOfManyRows(tape, rows, width(shape), elementBytes, toWeight, toBias);
      if (laidOut !== null) release(laidOut);
      return [toInput, ...sums];
    });
    const copied = rowByRow(copies.input);
    const output = tape.create(shape, elementBytes);
    const mean = tape.create([rows], FP32);
    const deviation = tape.create([rows], FP32);
    if (node !== null) {
      tape.attach(output, node, 0);
      tape.save(node, mean);
      tape.save(node, deviation);
    }
    for (const used of [mean, deviation, copied]) if (used !== null) tape.consume(used);
    return output;
  });
}

/** Beyond as many rows, partial sums of rows go through memory, up to as many elements; a warp a group of rows. */
const rowsSummedAtOnce = 65_536;
const partialElements = 2 ** 20;
const warpThreads = 32;

/**
 * LayerNorm's gradients of weight and bias over many rows, where the columns alone would leave half of the multiprocessors idle:
 * partial sums of both, which are then summed over their rows into new tensors.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/aten/src/ATen/native/cuda/layer_norm_kernel.cu
 */
function sumOfManyRows(
  tape: Tape,
  rows: number,
  columns: number,
  elementBytes: number,
  ...gradients: (Tensor | null)[]
): (Tensor | null)[] {
  if (rows <= rowsSummedAtOnce || columns / warpThreads >= tape.card.multiprocessors / 2) return gradients;
  const parts = Math.min(Math.ceil(rows / warpThreads), Math.floor(partialElements / columns));
  const partial = gradients.map((gradient) =>
    gradient === null ? null : tape.create([parts, columns], elementBytes),
  );
  const sums = gradients.map((gradient) => {
    if (gradient === null) return null;
    const sum = sumColumns(tape, parts, columns, elementBytes);
    release(gradient);
    return sum;
  });
  for (const tensor of partial.reverse()) if (tensor !== null) release(tensor);
  return sums;
}

/**
 * RMSNorm of llama and its relatives: squares and means are transient, the fp32 copy of the input and the reciprocal root
 * stay, the cast back stays only where the weight is trained.
 */
function rmsNorm(module: Module, input: Tensor): Tensor {
  return callLayer(module, input, (x) => {
    const wide = hold(cast(x, FP32));
    const variance = hold(mean(power(wide)));
    const scaled = hold(multiply(last(wide), inverseSquareRoot(addConstant(variance))));
    const weight = module.optional('weight');
    const narrow = cast(scaled, x.elementBytes);
    return weight === null ? narrow : multiply(weight, narrow);
  });
}

/** T5's RMSNorm: the input in its own type times the reciprocal root in fp32, brought to the weight's type where that is 16 bit. */
export function scaledRmsNorm(module: Module, input: Tensor): Tensor {
  return callLayer(module, input, (x) => {
    const variance = hold(mean(power(cast(x, FP32))));
    let scaled = hold(multiply(x, inverseSquareRoot(addConstant(variance))));
    const weight = module.parameter('weight');
    if (weight.elementBytes === HALF) scaled = hold(cast(last(scaled), HALF));
    return multiply(weight, last(scaled));
  });
}

/** Gemma's RMSNorm: the norm in fp32 times (1 + weight) in fp32, then cast back. */
function rmsNormOnePlus(module: Module, input: Tensor): Tensor {
  const { tape } = module;
  return callLayer(module, input, (x) => {
    const output = hold(
      tape.frame([], () => {
        const wide = hold(cast(x, FP32));
        return multiply(wide, inverseSquareRoot(addConstant(mean(power(wide)))));
      }),
    );
    const scaled = hold(multiply(last(output), addConstant(cast(module.parameter('weight'), FP32))));
    return cast(scaled, x.elementBytes);
  });
}

/** OLMo 2's RMSNorm: the weight is applied in fp32, then all is cast back. */
function wideRmsNorm(module: Module, input: Tensor): Tensor {
  return callLayer(module, input, (x) => {
    const wide = hold(cast(x, FP32));
    const variance = hold(mean(power(wide)));
    const scaled = hold(multiply(last(wide), inverseSquareRoot(addConstant(variance))));
    return cast(multiply(module.parameter('weight'), scaled), x.elementBytes);
  });
}

/** Cohere's LayerNorm, written in Python in fp32: two differences from the mean, one of them squared. */
function writtenLayerNorm(module: Module, input: Tensor): Tensor {
  return callLayer(module, input, (x) => {
    const wide = hold(cast(x, FP32));
    const average = hold(mean(wide));
    const variance = hold(mean(power(subtract(wide, average))));
    const scaled = hold(multiply(subtract(wide, average), inverseSquareRoot(addConstant(variance))));
    if (wide !== x) release(wide);
    const weighted = hold(multiply(cast(module.parameter('weight'), FP32), scaled));
    release(scaled);
    return cast(weighted, x.elementBytes);
  });
}

/** Mean over the last dimension, kept as 1: keeps nothing, backward spreads the gradient over a tensor of x's size. */
function mean(x: Tensor): Tensor {
  const { tape, shape, elementBytes } = x;
  return tape.apply([x], [], withWidth(shape, 1), elementBytes, (gradient) => [
    tape.create(shape, gradient.elementBytes),
  ]);
}

/** DeBERTa's LayerNorm, written in Python in fp32: differences from the mean, divided by the deviation, in the input's type again. */
export function debertaNorm(module: Module, input: Tensor): Tensor {
  return callLayer(module, input, (x) => {
    const wide = hold(cast(x, FP32));
    const average = hold(mean(wide));
    const variance = hold(mean(power(subtract(wide, average))));
    let hidden = hold(divide(subtract(wide, average), squareRoot(addConstant(variance))));
    if (wide !== x) release(wide);
    hidden = hold(cast(last(hidden), x.elementBytes));
    return add(multiply(module.parameter('weight'), hidden), module.parameter('bias'));
  });
}

/** `sqrt(x)`: keeps its output; backward doubles it and divides. */
function squareRoot(x: Tensor): Tensor {
  const { tape, elementBytes, shape } = x;
  return tape.apply(
    [x],
    [],
    shape,
    elementBytes,
    () => {
      const doubled = tape.create(shape, elementBytes);
      const result = tape.create(shape, elementBytes);
      release(doubled);
      return [result];
    },
    true,
  );
}
