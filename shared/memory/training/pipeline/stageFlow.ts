import type { Module } from '../../tape/module';
import type { Tape } from '../../tape/tape';
import { type Tensor, width } from '../../tape/tensor';
import type { StageForward } from '../../../families/forward';

/** Raised when the last block of a stage has run: what follows in the model's code is another stage's. */
class StageEnd extends Error {
  constructor(readonly output: Tensor) {
    super();
  }
}

/**
 * One micro-batch's forward through a stage: where a block begins, the first one gets what was received; where a block ends, the last
 * one's output is the stage's.
 */
export class StageFlow implements StageForward {
  private blocksDone = 0;

  constructor(
    private readonly tape: Tape,
    private readonly blocks: number,
    /** What came from the stage before, with the node that collects its gradient; null on the first stage. */
    private readonly received: Tensor | null,
    /** The last stage goes on to the loss. */
    private readonly isLast: boolean,
  ) {}

  enter(x: Tensor): Tensor {
    const { received, tape } = this;
    if (received === null || this.blocksDone > 0) return x;
    const given = tape.view(received, received.shape);
    tape.consume(x);
    return given;
  }

  leave(output: Tensor): void {
    this.blocksDone++;
    if (this.isLast || this.blocksDone < this.blocks) return;
    throw new StageEnd(handleOn(this.tape, output));
  }
}

/** In front of a head on the first card: the other cards' layers. What was copied to them is not needed on this card. */
export function throughOtherCards(x: Tensor): Tensor {
  const { elementBytes, shape, tape } = x;
  const back = tape.apply([x], [], shape, elementBytes, () => [tape.create(shape, elementBytes)]);
  if (x.alive) tape.empty(x);
  return back;
}

/** In front of a head that is on the first card: the last card's part ends. */
export function endBefore(x: Tensor): never {
  throw new StageEnd(handleOn(x.tape, x));
}

/** A handle that nobody but the caller owns, in the graph as `tensor` is. */
function handleOn(tape: Tape, tensor: Tensor): Tensor {
  const handle = tape.alias(tensor);
  if (tensor.node !== null) tape.attach(handle, tensor.node, tensor.slot);
  return handle;
}

/** The result of a stage's forward beside the running call, owned by the caller: its last block's output, or the loss. */
export function outputOf(tape: Tape, forward: () => Tensor): Tensor {
  try {
    return handleOn(tape, forward());
  } catch (error) {
    if (error instanceof StageEnd) return error.output;
    throw error;
  }
}

/**
 * Lets what makes a model's first hidden states (its token table, or the convolution of its patches), which a later stage has not, give
 * what was received: transformers' models take `inputs_embeds` instead of ids. A table of another width (its rows are projected
 * afterwards) is left as it is.
 */
export function receiveInPlaceOfInputs(root: Module, hiddenSize: number, received: () => Tensor): void {
  const first = firstOfInputs(root);
  if (first === null || outputWidth(first) !== hiddenSize) return;
  first.standIn = (shape) => received().tape.share(received(), shape);
}

/** Rows of a table, or what a convolution's filters give. */
function outputWidth(module: Module): number | undefined {
  const { shape } = module.parameter('weight');
  return module.kind === 'embedding' ? width(shape) : shape[0];
}

function firstOfInputs(module: Module): Module | null {
  if (module.kind === 'embedding' || module.kind === 'convolution') return module;
  for (const child of module.children) {
    const found = firstOfInputs(child);
    if (found !== null) return found;
  }
  return null;
}
