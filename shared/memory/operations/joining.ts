import { type Tensor, width, withWidth } from '../tape/tensor';

/**
 * Two tensors copied into the two parts of a new one (`new_empty`, then `copy_` into each slice), which has the first one's type.
 * Backward copies the whole gradient for each slice, and the slice; of the second the old values' gradient is zeros.
 */
export function joinInNew(first: Tensor, second: Tensor): Tensor {
  const { tape, elementBytes } = first;
  const [firstShape, secondShape, secondBytes] = [first.shape, second.shape, second.elementBytes];
  const shape = withWidth(firstShape, width(firstShape) + width(secondShape));
  const joined = tape.create(shape, elementBytes);
  const firstCopy = tape.record([first], [], () => {
    tape.create(shape, elementBytes);
    return [tape.create(firstShape, elementBytes)];
  });
  if (firstCopy !== null) tape.attach(joined, firstCopy, 0);
  const secondCopy = tape.record([joined, second], [], () => {
    const whole = tape.create(shape, elementBytes);
    const slice = tape.create(secondShape, elementBytes);
    tape.create(secondShape, elementBytes);
    return [whole, secondBytes === elementBytes ? slice : tape.create(secondShape, secondBytes)];
  });
  const output = tape.share(joined, shape);
  if (secondCopy !== null) tape.attach(output, secondCopy, 0);
  for (const used of [joined, first, second]) tape.consume(used);
  return output;
}
