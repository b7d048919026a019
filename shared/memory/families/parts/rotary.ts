/** Rotary positions as transformers computes and applies them. */
import { add, cast, multiply, negate, scale } from '../../operations/elementwise';
import { concatenate, slice } from '../../operations/layout';
import { hold, type Tape } from '../../tape/tape';
import { FP32, type Tensor } from '../../tape/tensor';

export interface RotaryTables {
  readonly cos: Tensor;
  readonly sin: Tensor;
}

/** The tables as a checkpointed block gets them. */
export function tablesOf(cos: Tensor | null | undefined, sin: Tensor | null | undefined): RotaryTables {
  if (!cos || !sin) throw new Error('The block needs its rotary tables.');
  return { cos, sin };
}

/**
 * `RotaryEmbedding.forward`: the angles of every position in fp32 (a product, so it may take cuBLAS' workspace), doubled,
 * their cosine and sine, each scaled, then cast to the hidden states' type. `bufferBytes` is the element size of `inv_freq`.
 */
export function rotaryTables(
  tape: Tape,
  sequence: number,
  rotaryDim: number,
  bufferBytes: number,
  hiddenBytes: number,
): RotaryTables {
  const [cos, sin] = tape.frame([], () => {
    const half = rotaryDim / 2;
    if (bufferBytes !== FP32) hold(tape.create([half], FP32));
    hold(tape.create([sequence], FP32));
    hold(tape.create([sequence, half], FP32));
    tape.useCublas();
    const angles = hold(tape.create([sequence, rotaryDim], FP32));
    const wideCos = hold(scaledCopy(angles));
    const wideSin = hold(scaledCopy(angles));
    return [cast(wideCos, hiddenBytes), cast(wideSin, hiddenBytes)];
  });
  return tablesOf(cos, sin);
}

/** `angles.cos() * attention_scaling`. */
function scaledCopy(angles: Tensor): Tensor {
  return scale(angles.tape.create(angles.shape, FP32));
}

/** `x * cos + rotate_half(x) * sin`. */
export function rotate(x: Tensor, { cos, sin }: RotaryTables): Tensor {
  const { tape } = x;
  return tape.frame([x], () => add(multiply(x, cos), multiply(rotateHalf(x), sin)));
}

function rotateHalf(x: Tensor): Tensor {
  const half = (x.shape[x.shape.length - 1] ?? 0) / 2;
  return x.tape.frame([x], () => {
    const first = hold(slice(x, half));
    const second = hold(slice(x, half));
    return concatenate([negate(second), first]);
  });
}
