/**
 * peft's low-rank adapters around parameters that are no linear layer's weight, such as stacked experts and routers: while the module
 * runs, the adapted parameter stands in for its own.
 * https://github.com/huggingface/peft/blob/v0.20.0/src/peft/tuners/lora/layer.py
 */
import type { Module, ParameterAdapter } from '../tape/module';
import { hold, release } from '../tape/tape';
import type { Tensor } from '../tape/tensor';
import { add, cast, scale } from './elementwise';
import { reshape, viewWithGradientCopy } from './layout';
import { batchedProduct } from './linear';

/** A module's call with its adapted parameters in place; wrappers are nested, the last parameter's outermost. */
export function withAdaptedParameters<T>(module: Module, body: () => T): T {
  return [...module.parameterAdapters].reduce<() => T>(
    (inner, [name, adapter]) =>
      () =>
        withAdapted(module, name, adapter, inner),
    body,
  )();
}

function withAdapted<T>(module: Module, name: string, adapter: ParameterAdapter, body: () => T): T {
  const { tape } = module;
  return tape.call(module.place, [], () => {
    const weight = module.parameter(name);
    const make = adapter.experts > 1 ? foldedIn(weight, adapter) : addedTo(weight, adapter);
    // Registering a parametrization tries it once.
    tape.withoutGradients(() => {
      release(make());
    });
    // The first use makes it, and it stays until the module's call ends (`parametrize.cached`).
    let cached: Tensor | null = null;
    module.adapted.set(name, () => (cached ??= owned(make())));
    try {
      return body();
    } finally {
      module.adapted.delete(name);
      if (cached !== null) release(cached);
    }
  });
}

/** A handle that no call owns on a result that is floating. */
function owned(made: Tensor): Tensor {
  const { tape } = made;
  const handle = tape.alias(made);
  handle.requiresGradient = made.requiresGradient;
  if (made.node !== null) tape.attach(handle, made.node, made.slot);
  tape.consume(made);
  return handle;
}

/**
 * A stack: one `baddbmm` of the parameter and its factors, with alpha, in the parameter's type even under autocast. The product
 * copies the left factor, whose experts are not outermost in memory.
 */
function foldedIn(weight: Tensor, { down, up, experts, isScaled }: ParameterAdapter): () => Tensor {
  const { tape, elementBytes, shape } = weight;
  const [, outer = 1, inner = 1] = shape;
  const rank = (down.shape[0] ?? 1) / experts;
  const rows = reshape(down, [experts, rank, inner]);
  const columns = viewWithGradientCopy(up, [experts, outer, rank]);
  const left = hold(cast(columns, elementBytes));
  const right = hold(cast(rows, elementBytes));
  const leftShape = left.shape;
  const rightShape = right.shape;
  const leftBytes = left.bytes;
  /** A product's result multiplied by alpha, into a new tensor unless it is 1. */
  const scaled = (product: Tensor): Tensor => {
    if (!isScaled) return product;
    const multiplied = tape.create(product.shape, elementBytes);
    release(product);
    return multiplied;
  };
  return () => {
    const node = tape.record([left, right], [left, right], () => {
      const first = tape.create(leftShape, elementBytes);
      tape.useCublas();
      const toLeft = scaled(first);
      const second = tape.create(rightShape, elementBytes);
      tape.scratch(leftBytes);
      return [toLeft, scaled(second)];
    });
    const output = tape.create(shape, elementBytes);
    tape.scratch(leftBytes);
    tape.useCublas();
    if (node !== null) tape.attach(output, node, 0);
    return output;
  };
}

/** One matrix: the product of its factors, scaled and in the parameter's type, is added to it. */
function addedTo(weight: Tensor, { down, up }: ParameterAdapter): () => Tensor {
  const product = batchedProduct(up, down, weight.shape, { left: false, right: 'as-is' });
  const update = hold(cast(scale(product), weight.elementBytes));
  return () => add(weight, update);
}
