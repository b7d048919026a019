/** Matrix products: linear layers, GPT-2's transposed linear, batched products, and peft's low-rank adapters. */
import { callLayer, type Module } from '../tape/module';
import { hold, type Tape } from '../tape/tape';
import { elements, FP32, type Shape, type Tensor, width, withWidth } from '../tape/tensor';
import { add, cast, dropout, scale } from './elementwise';
import { copyForProduct, viewWithGradientCopy } from './layout';
import { dequantizedProduct } from './quantized';
import { fromShard, toShard } from './sharded';

/**
 * `nn.Linear`. Keeps its input when the weight is trained and the weight when the input needs a gradient. The gradients
 * come out of `mm` as views. With a bias the product adds it (cuBLASLt), and the bias' gradient is the sum of the output's.
 * `gradientCopied`: the output's gradient arrives in a layout that `mm` cannot read, and each product copies it.
 */
export function linear(module: Module, x: Tensor, gradientCopied = false): Tensor {
  return callLayer(module, x, (given) => {
    const input = toShard(module, module.exchange === null ? given : hold(module.exchange(given)));
    const made =
      module.quantized === null
        ? product(module.tape, input, module.parameter('weight'), module.optional('bias'), 'linear')
        : dequantizedProduct(module, module.quantized, input);
    const base = fromShard(module, made);
    return adapted(module, input, readable(base, gradientCopied), gradientCopied);
  });
}

const readable = (output: Tensor, gradientCopied: boolean): Tensor =>
  gradientCopied ? viewWithGradientCopy(output, output.shape) : output;

/**
 * `x @ weight.T`, and `+ bias` where there is one, written out (Falcon). Autocast casts the input first and the transposed
 * weight, which is no parameter, anew each time.
 */
export function weightProduct(module: Module, x: Tensor): Tensor {
  const { tape } = module;
  return callLayer(module, x, (input) => {
    const weight = module.parameter('weight');
    const bias = module.optional('bias');
    if (module.quantized !== null)
      return adapted(module, input, dequantizedProduct(module, module.quantized, input));
    const transposed = tape.view(weight, weight.shape);
    const base = product(tape, input, transposed, null, 'matmul');
    return adapted(module, input, bias === null ? base : add(base, bias));
  });
}

/** Adds what peft's low-rank adapter around the module makes of the same input, if there is one. */
function adapted(module: Module, x: Tensor, base: Tensor, gradientCopied = false): Tensor {
  if (module.adapter === null) return base;
  const { tape } = module;
  const { down, up, dropout: probability } = module.adapter;
  const input = hold(cast(x, down.elementBytes));
  const inner = product(tape, dropout(input, probability), down, null, 'linear');
  const update = scale(readable(product(tape, inner, up, null, 'linear'), gradientCopied));
  return cast(add(base, update), base.elementBytes);
}

/** `F.linear` with the module's weight, whatever kind of module it is (routers). */
export function matrixProduct(module: Module, x: Tensor): Tensor {
  return product(module.tape, x, module.parameter('weight'), module.optional('bias'), 'linear');
}

/** The same with input and weight cast to fp32 first (DeepSeek's routers); the casts live until the product is done. */
export function wideMatrixProduct(module: Module, x: Tensor): Tensor {
  const { tape } = module;
  const input = cast(x, FP32);
  const weight = cast(module.parameter('weight'), FP32);
  return tape.frame([input, weight], () => product(tape, input, weight, null, 'linear'));
}

/** `F.linear` of x with a weight and bias that are no module's own. */
export function productWith(x: Tensor, weight: Tensor, bias: Tensor | null): Tensor {
  return product(x.tape, x, weight, bias, 'linear');
}

/** GPT-2's `Conv1D`, a linear layer with the weight stored the other way round (`addmm`). */
export function conv1d(module: Module, x: Tensor): Tensor {
  return callLayer(module, x, (input) => {
    const base =
      module.quantized === null
        ? product(module.tape, input, module.parameter('weight'), module.optional('bias'), 'addmm')
        : dequantizedProduct(module, module.quantized, input);
    return adapted(module, input, base);
  });
}

/**
 * x [..., in] times a weight, with a bias or without. Autocast casts bias, weight and input, in the order in which
 * `linear` and `addmm` take them.
 */
function product(
  tape: Tape,
  x: Tensor,
  weight: Tensor,
  bias: Tensor | null,
  form: 'linear' | 'addmm' | 'matmul',
): Tensor {
  const inner = width(x.shape);
  const outer = elements(weight.shape) / inner;
  let [input, matrix, addend] = [x, weight, bias];
  if (form === 'linear') {
    addend = bias === null ? null : tape.castForProduct(bias);
    matrix = tape.castForProduct(weight);
    input = tape.castForProduct(x);
  } else {
    matrix = tape.castForProduct(weight);
    input = tape.castForProduct(x);
    addend = bias === null ? null : tape.castForProduct(bias);
  }
  const { elementBytes, shape } = input;
  const [needsInput, needsWeight] = [tape.needs(input), tape.needs(matrix)];
  const needsBias = addend !== null && tape.needs(addend);
  const weightShape = matrix.shape;
  const inputGradient = (): Tensor => {
    const made = tape.create(shape, elementBytes);
    // The product of a matrix is itself; of more dimensions it is a view.
    made.isView = shape.length > 2;
    tape.useCublas();
    return made;
  };
  const weightGradient = (): Tensor => {
    const made = tape.create(weightShape, elementBytes);
    made.isView = form !== 'addmm';
    tape.useCublas();
    return made;
  };
  const keepsInput = needsWeight || (tape.keepsProductInputs && form === 'linear') ? input : null;
  const keepsWeight = needsInput ? matrix : null;
  /**
   * `addmm` names the bias first, so its gradient is collected before the weight's; the input's comes last where it has to pass
   * the view as a matrix.
   */
  const inOrder = <T>(ofBias: T, ofInput: T, ofWeight: T): T[] => [
    ...(addend === null ? [] : [ofBias]),
    ...(shape.length > 2 ? [ofWeight, ofInput] : [ofInput, ofWeight]),
  ];
  const node = tape.record(
    inOrder<Tensor | null>(addend, input, matrix),
    addend === null ? [keepsWeight, keepsInput] : [keepsInput, keepsWeight],
    (gradient) => {
      // Without a bias the weight's product comes first.
      if (addend === null) {
        const toWeight = needsWeight ? weightGradient() : null;
        return inOrder(null, needsInput ? inputGradient() : null, toWeight);
      }
      const toInput = needsInput ? inputGradient() : null;
      const toWeight = needsWeight ? weightGradient() : null;
      return inOrder(needsBias ? gradient : null, toInput, toWeight);
    },
  );
  const output = tape.create(withWidth(shape, outer), elementBytes);
  tape.useCublas();
  if (addend !== null) tape.useCublasLt();
  if (node !== null) tape.attach(output, node, 0);
  for (const used of [input, matrix, addend]) if (used !== null) tape.consume(used);
  return output;
}

/**
 * `torch.matmul` of two batches of matrices: keeps each side for the other's gradient. A side whose batch is not laid out for
 * `bmm` (a transposed or expanded view) is copied first, and its gradient passes as a view; a cast of an expanded view is
 * already laid out, and a batch of one needs no layout. Casts and copies live until the product is done.
 */
export function batchedProduct(
  a: Tensor,
  b: Tensor,
  shape: Shape,
  layout: { readonly left: boolean; readonly right: 'as-is' | 'copy' | 'copy-unless-cast' },
): Tensor {
  const { tape } = a;
  return tape.frame([a, b], () => {
    const castRight = hold(tape.castForProduct(b));
    const castLeft = hold(tape.castForProduct(a));
    const [batch = 1] = shape;
    const copiesRight =
      batch > 1 && (layout.right === 'copy' || (layout.right === 'copy-unless-cast' && castRight === b));
    const left = layout.left && batch > 1 ? hold(copyForProduct(castLeft)) : castLeft;
    const right = copiesRight ? hold(copyForProduct(castRight)) : castRight;
    const { elementBytes } = left;
    const [leftShape, rightShape] = [left.shape, right.shape];
    const [needsLeft, needsRight] = [tape.needs(left), tape.needs(right)];
    const output = tape.apply(
      [left, right],
      [needsLeft ? right : null, needsRight ? left : null],
      shape,
      elementBytes,
      () => {
        const toRight = needsRight ? tape.create(rightShape, elementBytes) : null;
        tape.useCublas();
        const toLeft = needsLeft ? tape.create(leftShape, elementBytes) : null;
        return [toLeft, toRight];
      },
    );
    tape.useCublas();
    return output;
  });
}

/**
 * `base.baddbmm(a, b, alpha=…)` of two batches of matrices that are laid out for it: keeps each side for the other's gradient,
 * which is a product and its scaled copy. Autocast casts all three.
 */
export function scaledProductOnto(base: Tensor, a: Tensor, b: Tensor, shape: Shape): Tensor {
  const { tape } = a;
  return tape.frame([base, a, b], () => {
    hold(tape.castForProduct(base));
    const left = hold(tape.castForProduct(a));
    const right = hold(tape.castForProduct(b));
    const { elementBytes } = left;
    const [needsLeft, needsRight] = [tape.needs(left), tape.needs(right)];
    const scaledGradient = (side: Shape): Tensor => {
      const product = tape.create(side, elementBytes);
      tape.useCublas();
      const scaled = tape.create(side, elementBytes);
      tape.release(product);
      return scaled;
    };
    const [leftShape, rightShape] = [left.shape, right.shape];
    const output = tape.apply(
      [left, right],
      [needsLeft ? right : null, needsRight ? left : null],
      shape,
      elementBytes,
      () => {
        const toRight = needsRight ? scaledGradient(rightShape) : null;
        return [needsLeft ? scaledGradient(leftShape) : null, toRight];
      },
    );
    tape.useCublas();
    return output;
  });
}
