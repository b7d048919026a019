import type { Saved } from './node';
import type { Tape } from './tape';
import { Tensor } from './tensor';

/** Raised inside a recomputation when the last tensor that backward needs has been made again. */
class StopRecomputation extends Error {}

/** Always the same: where it was raised says nothing, and finding that out costs more than a block. */
const stopSignal = new StopRecomputation();

/** What a node keeps inside a checkpointed block: the promise that recomputation brings the tensor back. */
export class SavedHolder {
  alive = true;

  constructor(
    private readonly frame: CheckpointFrame,
    private readonly index: number,
  ) {}

  /** The tensor, recomputing the block when this is the first of its tensors that backward asks for. */
  take(): Tensor {
    return this.frame.take(this.index);
  }

  release(): void {
    this.alive = false;
    this.frame.releaseHolder(this.index);
  }
}

/** A block's code: its positional arguments and the other tensors it uses, null where there is none. */
export type BlockBody<T> = (inputs: readonly Tensor[], closedOver: readonly (Tensor | null)[]) => T;

/**
 * One checkpointed block, as torch.utils.checkpoint without reentry does it: forward keeps nothing but the block's
 * inputs; the first kept tensor that backward asks for runs the block again, only as far as the last tensor needed.
 * Inputs and closed-over tensors stay until the last node of the block has run. A block inside of another leaves its inputs to
 * that one, whose recomputation brings them back.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/torch/utils/checkpoint.py
 */
export class CheckpointFrame {
  readonly recomputes = false;
  private readonly holders: SavedHolder[] = [];
  private liveHolders = 0;
  private recomputed: (Tensor | null)[] | null = null;
  private readonly autocast: boolean;

  constructor(
    private readonly tape: Tape,
    private readonly inputs: readonly BlockInput[],
    private readonly closedOver: readonly (Tensor | null)[],
    private readonly body: BlockBody<unknown>,
  ) {
    this.autocast = tape.autocast;
  }

  pack(_tensor: Tensor): SavedHolder {
    const holder = new SavedHolder(this, this.holders.length);
    this.holders.push(holder);
    this.liveHolders++;
    return holder;
  }

  /** Hands out a recomputed tensor; the caller owns it. */
  take(index: number): Tensor {
    this.recomputed ??= this.recompute();
    const tensor = this.recomputed[index];
    if (tensor === undefined || tensor === null)
      throw new Error(`Recomputation did not reach kept tensor ${index}.`);
    this.recomputed[index] = null;
    return tensor;
  }

  /** What was made again for it and nobody took goes with a holder. */
  releaseHolder(index: number): void {
    const untaken = this.recomputed?.[index] ?? null;
    if (untaken !== null && this.recomputed !== null) {
      this.recomputed[index] = null;
      this.tape.release(untaken);
    }
    if (--this.liveHolders === 0) this.dispose();
  }

  /** Frees what the block holds when nothing of it is kept for backward. */
  disposeIfUnused(): void {
    if (this.liveHolders === 0) this.dispose();
  }

  private dispose(): void {
    for (const { saved } of this.inputs) {
      if (saved instanceof Tensor) this.tape.release(saved);
      else saved.release();
    }
    for (const tensor of [...this.closedOver, ...(this.recomputed ?? [])])
      if (tensor !== null) this.tape.release(tensor);
    this.recomputed = null;
  }

  private recompute(): (Tensor | null)[] {
    const { tape } = this;
    const store: (Tensor | null)[] = [];
    const [saver, gradients] = [tape.saver, tape.gradientsEnabled];
    tape.saver = new Recomputation(tape, this.holders, store);
    tape.gradientsEnabled = true;
    try {
      tape.underAutocast(this.autocast, () =>
        tape.frame([], () => {
          this.body(
            this.inputs.map((input) => inputAgain(tape, input)),
            this.closedOver,
          );
        }),
      );
    } catch (error) {
      if (!(error instanceof StopRecomputation)) throw error;
    } finally {
      tape.saver = saver;
      tape.gradientsEnabled = gradients;
    }
    return store;
  }
}

/** A block's input: a handle of its own or, inside another checkpointed block, that block's promise. */
interface BlockInput {
  readonly saved: Saved;
  readonly requiresGradient: boolean;
}

/** An input that the block holds itself. */
export const ownInput = (tape: Tape, tensor: Tensor): BlockInput => ({
  saved: keepHandle(tape, tensor),
  requiresGradient: tensor.requiresGradient,
});

/** The input as a recomputation gets it; it lives as long as that runs. */
function inputAgain(tape: Tape, { saved, requiresGradient }: BlockInput): Tensor {
  if (saved instanceof Tensor) {
    const copy = tape.view(saved, saved.shape);
    copy.floating = false;
    return copy;
  }
  const taken = saved.take();
  const copy = tape.share(taken, taken.shape);
  tape.release(taken);
  copy.floating = false;
  copy.requiresGradient = requiresGradient;
  return copy;
}

/** Where tensors go that a recomputation keeps: back to the holders that asked for them. */
export class Recomputation {
  readonly recomputes = true;

  constructor(
    private readonly tape: Tape,
    private readonly holders: readonly SavedHolder[],
    private readonly store: (Tensor | null)[],
  ) {}

  /** What no holder asks for any more the recomputed node still keeps, as long as it lives itself. */
  pack(tensor: Tensor): Tensor | Recomputed {
    const isWanted = this.holders[this.store.length]?.alive === true;
    this.store.push(isWanted ? this.tape.alias(tensor) : null);
    if (this.store.length === this.holders.length) throw stopSignal;
    return isWanted ? neverRun : this.tape.alias(tensor);
  }
}

/** What a recomputed node keeps: nothing, it never runs backward. */
class Recomputed {
  take(): Tensor {
    throw new Error('A recomputed node never runs backward.');
  }

  release(): void {
    // It keeps nothing.
  }
}

const neverRun = new Recomputed();

/**
 * Runs `body` as a checkpointed block. `inputs` are its positional arguments, `closedOver` the other tensors it
 * uses (rotary tables, masks): both stay until the block's backward has ended, and recomputation gets them again.
 */
export function checkpoint<T extends Tensor | readonly Tensor[]>(
  tape: Tape,
  inputs: readonly Tensor[],
  closedOver: readonly (Tensor | null)[],
  body: BlockBody<T>,
): T {
  return tape.frame(inputs, () => {
    const keep = (tensor: Tensor | null): Tensor | null =>
      tensor === null ? null : keepHandle(tape, tensor);
    const outer = tape.saver;
    const kept = inputs.map((input) =>
      outer === null
        ? ownInput(tape, input)
        : { saved: outer.pack(input), requiresGradient: input.requiresGradient },
    );
    const frame = new CheckpointFrame(tape, kept, closedOver.map(keep), body);
    tape.saver = frame;
    try {
      return body(inputs, closedOver);
    } finally {
      tape.saver = outer;
      frame.disposeIfUnused();
    }
  });
}

/** A handle for a recomputation, which needs to know whether the tensor is trained through. */
export function keepHandle(tape: Tape, tensor: Tensor): Tensor {
  const copy = tape.alias(tensor);
  copy.requiresGradient = tensor.requiresGradient;
  return copy;
}
