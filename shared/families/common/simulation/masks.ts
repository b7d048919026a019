/** What transformers' mask builders allocate on the way to "no mask needed" or to a mask. */
import { type Tape, hold, release } from '../../../memory/tape/tape';
import { BOOL, INT64, type Shape, type Tensor } from '../../../memory/tape/tensor';
import type { Forward } from '../../forward';

/** Samples and tokens that a mask is for, and the type that it follows. */
type MaskSizes = Pick<Forward, 'tape' | 'batch' | 'sequence' | 'modelBytes'>;

/**
 * `create_causal_mask` with a padding mask of ones: sdpa finds that nothing is masked and leaves causality to the kernel (null), eager
 * attention gets a mask [batch, 1, sequence, sequence] in the model's type.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/masking_utils.py#L865
 */
export function causalMask(sizes: MaskSizes, eager: boolean): Tensor | null {
  const { tape, batch, sequence, modelBytes } = sizes;
  return tape.frame([], () => {
    hold(tape.create([batch, sequence], BOOL));
    if (eager) return asScores(writtenMask(tape, batch, sequence, causal), modelBytes);
    allOnes(tape, batch, sequence);
    return null;
  });
}

/**
 * `create_causal_mask` for eager attention without a padding mask: index vectors, the comparison, and a mask [batch, 1, sequence,
 * sequence] in the model's type.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/masking_utils.py#L865
 */
export function causalMaskWithoutPadding({ tape, batch, sequence, modelBytes }: MaskSizes): Tensor {
  const allowed = tape.frame([], () => {
    indexVectors(tape, batch, sequence);
    return tape.create([sequence, sequence], BOOL);
  });
  return asScores(allowed, modelBytes, [batch, 1, sequence, sequence]);
}

/**
 * `create_sliding_window_causal_mask`: as `causalMask` where the window covers the sequence; a longer sequence needs a written mask in
 * sdpa too, of booleans [batch, 1, sequence, sequence].
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/masking_utils.py#L1101
 */
export function slidingMask(sizes: MaskSizes, window: number, eager: boolean): Tensor | null {
  const { tape, batch, sequence, modelBytes } = sizes;
  return tape.frame([], () => {
    hold(tape.create([batch, sequence], BOOL));
    if (eager) return asScores(writtenMask(tape, batch, sequence, slidingCausal), modelBytes);
    if (sequence > window) return writtenMask(tape, batch, sequence, slidingCausal);
    allOnes(tape, batch, sequence);
    return null;
  });
}

/**
 * `create_causal_mask(allow_is_causal_skip=False)`: sdpa too gets a mask, of booleans [batch, 1, sequence, sequence].
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/masking_utils.py#L865
 */
export function writtenCausalMask(sizes: MaskSizes, eager: boolean): Tensor {
  const { tape, batch, sequence, modelBytes } = sizes;
  return tape.frame([], () => {
    hold(tape.create([batch, sequence], BOOL));
    const mask = writtenMask(tape, batch, sequence, causal);
    return eager ? asScores(mask, modelBytes) : mask;
  });
}

/**
 * `find_packed_sequence_indices`: whether positions int64 [batch, sequence] jump within a sample, which they do not. Keeps nothing.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/masking_utils.py#L729
 */
export function packedSequences({ tape, batch, sequence }: MaskSizes): void {
  tape.frame([], () => {
    hold(tape.create([batch], INT64));
    const joined = tape.create([batch, sequence + 1], INT64);
    hold(tape.create([batch, sequence], INT64));
    release(joined);
    const jumps = tape.create([batch, sequence], BOOL);
    const numbers = tape.create([batch, sequence], INT64);
    hold(tape.create([batch, sequence], INT64));
    release(numbers);
    release(jumps);
    hold(tape.create([batch], BOOL));
    tape.scratch(BOOL);
  });
}

/** Compares the padding mask with ones and reduces: a scalar, the comparison as integers, the answer. */
function allOnes(tape: Tape, batch: number, sequence: number): void {
  const one = tape.create([1], INT64);
  tape.scratch(batch * sequence * INT64);
  tape.scratch(1);
  tape.release(one);
}

/** A boolean mask [batch, 1, sequence, sequence]: index vectors, the rule, and the padding mask looked up for each pair. */
function writtenMask(
  tape: Tape,
  batch: number,
  sequence: number,
  rule: (tape: Tape, sequence: number) => Tensor,
): Tensor {
  return tape.frame([], () => {
    indexVectors(tape, batch, sequence);
    const allowed = hold(rule(tape, sequence));
    const padding = hold(paddingLookUp(tape, batch, sequence));
    const mask = tape.create([batch, 1, sequence, sequence], BOOL);
    release(padding);
    release(allowed);
    return mask;
  });
}

/** Indices of samples and heads, of queries and of keys, which live until the surrounding call ends. */
function indexVectors(tape: Tape, batch: number, sequence: number): void {
  hold(tape.create([batch], INT64));
  hold(tape.create([1], INT64));
  for (const _side of ['queries', 'keys']) {
    const range = tape.create([sequence], INT64);
    hold(tape.create([sequence], INT64));
    release(range);
  }
}

/** `causal` alone: true, the comparison, their conjunction. */
function causal(tape: Tape, sequence: number): Tensor {
  return tape.frame([], () => {
    hold(tape.create([1], BOOL));
    hold(tape.create([sequence, sequence], BOOL));
    return tape.create([sequence, sequence], BOOL);
  });
}

/** The sliding window's comparison and the causal one. */
function slidingCausal(tape: Tape, sequence: number): Tensor {
  const pairs = [sequence, sequence];
  return tape.frame([], () => {
    hold(tape.create([1], BOOL));
    const both = hold(
      tape.frame([], () => {
        const within = hold(
          tape.frame([], () => {
            hold(tape.create([1], BOOL));
            const shifted = tape.create([sequence], INT64);
            hold(tape.create(pairs, BOOL));
            release(shifted);
            return tape.create(pairs, BOOL);
          }),
        );
        const order = hold(tape.create(pairs, BOOL));
        const joined = tape.create(pairs, BOOL);
        release(order);
        release(within);
        return joined;
      }),
    );
    const rule = tape.create(pairs, BOOL);
    release(both);
    return rule;
  });
}

function paddingLookUp(tape: Tape, batch: number, sequence: number): Tensor {
  return tape.frame([], () => {
    hold(tape.create([batch, sequence], INT64));
    hold(tape.create([batch, sequence], INT64));
    return tape.create([batch, sequence], BOOL);
  });
}

/** 0 where allowed and the type's minimum elsewhere: two scalars and the mask in the model's type. */
function asScores(allowed: Tensor, modelBytes: number, shape: Shape = allowed.shape): Tensor {
  const { tape } = allowed;
  return tape.frame([allowed], () => {
    hold(tape.create([1], modelBytes));
    hold(tape.create([1], modelBytes));
    return tape.create(shape, modelBytes);
  });
}

/**
 * `create_bidirectional_mask` with a padding mask of ones: nothing is masked, in sdpa and in eager attention. Keeps nothing.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/masking_utils.py#L998
 */
export function bidirectionalMask({ tape, batch, sequence }: MaskSizes): void {
  tape.frame([], () => {
    hold(tape.create([batch, sequence], BOOL));
    tape.scratch(1);
  });
}

/**
 * `create_bidirectional_sliding_window_mask` with a padding mask of ones: null where half of the window (each side of a token) is longer
 * than the sequence, else a written mask of booleans [batch, 1, sequence, sequence], in eager attention as scores.
 * https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/masking_utils.py#L1239
 */
export function bidirectionalSlidingMask(sizes: MaskSizes, window: number, eager: boolean): Tensor | null {
  const { tape, batch, sequence, modelBytes } = sizes;
  return tape.frame([], () => {
    hold(tape.create([batch, sequence], BOOL));
    tape.scratch(1);
    if (sequence < window / 2) return null;
    const mask = writtenMask(tape, batch, sequence, slidingBothWays);
    return eager ? asScores(mask, modelBytes) : mask;
  });
}

/** The distance within the window, and what holds for every pair anyway. */
function slidingBothWays(tape: Tape, sequence: number): Tensor {
  const pairs = [sequence, sequence];
  return tape.frame([], () => {
    const outer = tape.create([1], BOOL);
    const inner = tape.create([1], BOOL);
    const difference = tape.create(pairs, INT64);
    const distance = tape.create(pairs, INT64);
    release(difference);
    const isNear = tape.create(pairs, BOOL);
    release(distance);
    const near = tape.create(pairs, BOOL);
    for (const used of [isNear, inner]) release(used);
    const always = tape.create([sequence], BOOL);
    const both = tape.create(pairs, BOOL);
    for (const used of [always, near]) release(used);
    const rule = tape.create(pairs, BOOL);
    for (const used of [both, outer]) release(used);
    return rule;
  });
}
