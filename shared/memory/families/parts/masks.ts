/** What transformers' mask builders allocate on the way to "no mask needed" or to a mask. */
import { hold, type Tape } from '../../tape/tape';
import { BOOL, INT64, type Tensor } from '../../tape/tensor';

/**
 * `create_causal_mask` with a padding mask of ones: sdpa finds that nothing is masked and leaves causality to the kernel
 * (null), eager attention gets a mask in the model's type.
 * https://github.com/huggingface/transformers/blob/v5.0.0/src/transformers/masking_utils.py
 */
export function causalMask(
  tape: Tape,
  batch: number,
  sequence: number,
  modelBytes: number,
  eager: boolean,
): Tensor | null {
  return tape.frame([], () => {
    hold(tape.create([batch, sequence], BOOL));
    if (!eager) {
      allOnes(tape, batch, sequence);
      return null;
    }
    return writtenMask(tape, batch, sequence, modelBytes);
  });
}

/** Compares the padding mask with ones and reduces: a scalar, the comparison as integers, the answer. */
function allOnes(tape: Tape, batch: number, sequence: number): void {
  const one = tape.create([1], INT64);
  tape.scratch(batch * sequence * INT64);
  tape.scratch(1);
  tape.release(one);
}

function writtenMask(tape: Tape, batch: number, sequence: number, modelBytes: number): Tensor {
  const created = {
    offsets: hold(tape.create([2], INT64)),
    offset: hold(tape.create([1], INT64)),
  };
  const first = tape.create([sequence], INT64);
  const queries = hold(tape.create([sequence], INT64));
  tape.release(first);
  const second = tape.create([sequence], INT64);
  const keys = hold(tape.create([sequence], INT64));
  tape.release(second);
  const always = tape.create([1], BOOL);
  const causal = tape.create([sequence, sequence], BOOL);
  const both = tape.create([sequence, sequence], BOOL);
  tape.release(causal);
  tape.release(always);
  const rows = tape.create([batch, sequence], INT64);
  const columns = tape.create([batch, sequence], INT64);
  const padding = tape.create([batch, sequence], BOOL);
  tape.release(columns);
  tape.release(rows);
  const allowed = tape.create([batch, sequence, sequence], BOOL);
  for (const used of [padding, both, created.offsets, created.offset, queries, keys]) tape.release(used);
  const zero = tape.create([1], modelBytes);
  const minimum = tape.create([1], modelBytes);
  const mask = tape.create([batch, 1, sequence, sequence], modelBytes);
  for (const used of [minimum, zero, allowed]) tape.release(used);
  return mask;
}
