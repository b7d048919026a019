import { type BlockBody, CheckpointFrame, keepHandle, ownInput } from './checkpoint';
import { hold, release, type Tape } from './tape';
import type { Tensor } from './tensor';

type Outputs = Tensor | readonly Tensor[];

/** One block of a segment, and which of the segment's other tensors are its own. */
interface SegmentBlock {
  readonly body: BlockBody<Outputs>;
  readonly from: number;
  readonly to: number;
}

/**
 * `checkpoint_sequential`: the blocks of each stack in `count` runs of about equal length. Of a run only its input is kept, and
 * backward makes all of it again; the last run of a stack keeps everything, as PyTorch leaves it.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/torch/utils/checkpoint.py
 */
export class SegmentedCheckpoint {
  private stack = 0;
  private index = 0;
  private frame: CheckpointFrame | null = null;
  private blocks: SegmentBlock[] = [];
  private others: (Tensor | null)[] = [];

  constructor(
    private readonly tape: Tape,
    private readonly count: number,
    /** Blocks of each stack, in the order in which they run. */
    private readonly lengths: readonly number[],
  ) {}

  /** Runs the next block. */
  run<T extends Outputs>(x: Tensor, closedOver: readonly (Tensor | null)[], body: BlockBody<T>): T {
    const { tape } = this;
    const length = this.lengths[this.stack] ?? 0;
    const segments = Math.min(this.count, length);
    const segmentOf = (index: number): number => Math.floor((index * segments) / length);
    const own = segmentOf(this.index);
    const isLastBlock = this.index === length - 1;
    const ends = isLastBlock || segmentOf(this.index + 1) !== own;
    this.index = isLastBlock ? 0 : this.index + 1;
    if (isLastBlock) this.stack++;
    if (own === segments - 1) return body([x], closedOver);
    const frame = this.frame ?? this.begin(x);
    const from = this.others.length;
    this.others.push(...closedOver.map((tensor) => (tensor === null ? null : keepHandle(tape, tensor))));
    this.blocks.push({ body, from, to: this.others.length });
    const outer = tape.saver;
    tape.saver = frame;
    try {
      return body([x], closedOver);
    } finally {
      tape.saver = outer;
      if (ends) this.end();
    }
  }

  private begin(x: Tensor): CheckpointFrame {
    const blocks: SegmentBlock[] = [];
    const others: (Tensor | null)[] = [];
    const frame = new CheckpointFrame(this.tape, [ownInput(this.tape, x)], others, ([first], all) => {
      let hidden = first;
      for (const { body, from, to } of blocks) {
        if (hidden === undefined) throw new Error('A segment has an input.');
        const outputs = body([hidden], all.slice(from, to));
        const next = hold(Array.isArray(outputs) ? firstOf(outputs) : onlyOf(outputs));
        if (hidden !== first) release(hidden);
        hidden = next;
      }
    });
    this.frame = frame;
    this.blocks = blocks;
    this.others = others;
    return frame;
  }

  private end(): void {
    this.frame?.disposeIfUnused();
    this.frame = null;
  }
}

function firstOf(outputs: readonly Tensor[]): Tensor {
  const [first] = outputs;
  if (first === undefined) throw new Error('A block has an output.');
  return first;
}

function onlyOf(outputs: Outputs): Tensor {
  return 'storage' in outputs ? outputs : firstOf(outputs);
}
