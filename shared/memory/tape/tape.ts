import { Autocast } from './autocast';
import { anyNeedsGradient, collectGradients, dropNode, gradientKeeper, recordNode } from './autograd';
import { Calls } from './calls';
import type { CheckpointFrame, Recomputation } from './checkpoint';
import { type AllocationLog, defaultStream, type KindIndex, kindIndex, type MemoryKind } from './log';
import type { Backward, Node } from './node';
import { elements, Parameter, type Shape, Tensor } from './tensor';
import { Workspaces } from './workspaces';

const activationsKind = kindIndex('activations');
const parametersKind = kindIndex('parameters');
const none = -1;

/** What the card decides: sizes of workspaces and the grids of its reductions. */
export interface CardTraits {
  readonly multiprocessors: number;
  readonly threadsPerMultiprocessor: number;
  /** cuBLAS takes one such workspace per handle and stream, with its first product. */
  readonly cublasWorkspaceBytes: number;
  /** cuBLASLt, used where a bias is added in the product. */
  readonly cublasLtWorkspaceBytes: number;
  /** PyTorch prefers cuDNN's fused attention from Hopper on. */
  readonly cudnnAttention: boolean;
  /** Flash attention needs Ampere or later. */
  readonly flashAttention: boolean;
}

/**
 * Plays a model's step: model code calls operations in modelling order, and the tape keeps what PyTorch
 * would keep and frees when PyTorch (and Python's reference counts) would free.
 *
 * Who owns a handle, and so when memory is freed:
 * - The result of an operation is *floating*: it belongs to the expression it stands in, and the operation that
 *   takes it frees it. `multiply(x, rsqrt(mean(square(x))))` leaves nothing behind but its result.
 * - `hold(t)` gives a name to a result that is used more than once: it lives until the surrounding call ends.
 *   `last(t)` marks its last use, which is what rebinding the name does in Python (`x = f(x)`).
 * - `frame(inputs, body)` is a call: it holds the floating arguments until it returns (as `nn.Module.__call__`
 *   holds its arguments), and at its end frees all that was made in it except what it returns.
 * - Operations only borrow what is held. Using a handle after its memory is freed throws at once.
 */
export class Tape {
  /** False in backward and under no_grad: operations leave no nodes. */
  gradientsEnabled = true;
  /** Which 16-bit type is used; some kernels widen fp16 by themselves. */
  halfType: 'bf16' | 'fp16' = 'bf16';
  /** Where tensors kept for backward go: null = into the node, else checkpointing. */
  saver: CheckpointFrame | Recomputation | null = null;
  /** Threads have their own cuBLAS handles: 0 runs forward and the optimizer, 1 backward. */
  thread = 0;
  stream = defaultStream;
  kind: KindIndex = activationsKind;
  place = 0;

  /** Attention is recomputed in backward (`selective` checkpointing), and whether any was. */
  recomputesAttention = false;
  recomputedAttention = false;
  /** Products keep their inputs even where the weight is frozen, as DeepSpeed's own `F.linear` does in stage 3. */
  keepsProductInputs = false;
  /** Functions that TorchScript has run once: from the second time on it fuses their operations. */
  readonly scripted = new Set<string>();
  /** True once cuDNN ran: its library is part of the process then. */
  usesCudnn = false;
  /** The model's output is kept as long as the graph, as a pipeline's schedule keeps the last stage's. */
  keepsOutput = false;
  /** Tensors and gradients that live as long as the graph; backward frees them at its end. */
  readonly retained: Tensor[] = [];

  private nextSequence = 0;
  private readonly casts = new Autocast(this);
  private readonly calls = new Calls();
  private readonly workspaces = new Workspaces(this);

  constructor(
    readonly log: AllocationLog,
    readonly card: CardTraits,
  ) {}

  // ---------------------------------------------------------------- making and freeing

  /** New memory, floating. */
  create(shape: Shape, elementBytes: number): Tensor {
    const bytes = elements(shape) * elementBytes;
    // An empty tensor takes no memory.
    const id = bytes === 0 ? none : this.log.allocate(bytes, this.kind, this.place, this.stream);
    return this.calls.float(new Tensor(this, { id, references: 1 }, shape, elementBytes));
  }

  /** New memory that is gone before the next operation, such as a kernel's scratch. */
  scratch(bytes: number): void {
    this.release(this.create([bytes], 1));
  }

  /** New memory that an object owns until it is released. */
  createOwned(shape: Shape, elementBytes: number, kind: MemoryKind): Tensor {
    const id = this.log.allocate(elements(shape) * elementBytes, kindIndex(kind), this.place, this.stream);
    return new Tensor(this, { id, references: 1 }, shape, elementBytes);
  }

  createParameter(name: string, shape: Shape, elementBytes: number, trained: boolean): Parameter {
    const id = this.log.allocate(
      elements(shape) * elementBytes,
      parametersKind,
      this.log.place(name),
      this.stream,
    );
    const parameter = new Parameter(this, { id, references: 1 }, shape, elementBytes, name, trained);
    if (trained) collectGradients(this, parameter);
    return parameter;
  }

  /** A parameter whose memory comes later (`refill`), such as one that FSDP gathers from its shards. */
  createEmptyParameter(name: string, shape: Shape, elementBytes: number, trained: boolean): Parameter {
    const parameter = new Parameter(this, { id: none, references: 1 }, shape, elementBytes, name, trained);
    if (trained) collectGradients(this, parameter);
    return parameter;
  }

  /** `storage.resize_(0)`: the memory goes, every handle on it stays. */
  empty({ storage }: Tensor): void {
    if (storage.id !== none) this.log.free(storage.id);
    storage.id = none;
  }

  /** `storage.resize_(bytes)` of an emptied tensor: new memory behind all handles. */
  refill({ storage }: Tensor, bytes: number, kind: MemoryKind): void {
    if (storage.id !== none || bytes === 0) return;
    storage.id = this.log.allocate(bytes, kindIndex(kind), this.place, this.stream);
  }

  /** A handle on a part of the memory, owned by whoever asked. */
  part(tensor: Tensor, shape: Shape): Tensor {
    return this.reinterpret(tensor, shape, tensor.elementBytes);
  }

  /** As `part`, with elements of another size. */
  reinterpret(tensor: Tensor, shape: Shape, elementBytes: number): Tensor {
    this.check(tensor);
    tensor.storage.references++;
    return new Tensor(this, tensor.storage, shape, elementBytes);
  }

  /** A second handle on the same memory, owned by whoever asked. */
  alias(tensor: Tensor): Tensor {
    return this.handleOn(tensor, tensor.shape);
  }

  /** The same memory in another shape, floating and outside of the graph; `tensor` stays. */
  share(tensor: Tensor, shape: Shape): Tensor {
    return this.calls.float(this.handleOn(tensor, shape));
  }

  private handleOn(tensor: Tensor, shape: Shape): Tensor {
    const handle = this.part(tensor, shape);
    handle.isView = tensor.isView;
    handle.positionsFirst = tensor.positionsFirst;
    return handle;
  }

  /** The same memory in another shape, floating; on the tape the view is the tensor itself. */
  view(tensor: Tensor, shape: Shape): Tensor {
    const view = this.share(tensor, shape);
    view.requiresGradient = tensor.requiresGradient;
    if (tensor.node !== null) this.attach(view, tensor.node, tensor.slot);
    this.consume(tensor);
    return view;
  }

  /** Lets go of a handle (Python's `del`): frees the memory when it was the last. */
  release(tensor: Tensor): void {
    this.check(tensor);
    tensor.alive = false;
    tensor.floating = false;
    if (tensor.node !== null && !(tensor instanceof Parameter)) dropNode(this, tensor.node);
    const { storage } = tensor;
    if (--storage.references === 0 && storage.id !== none) this.log.free(storage.id);
  }

  /** Frees an operation's input when it was floating. */
  consume(tensor: Tensor): void {
    if (tensor.floating) this.release(tensor);
  }

  /** Throws when the handle's memory is already freed: a mistake in model code. */
  check(tensor: Tensor): void {
    if (!tensor.alive)
      throw new Error(`A tensor of shape [${tensor.shape.join(', ')}] is used after it was freed.`);
  }

  // ---------------------------------------------------------------- calls

  /** A call: see the class's comment. Returns what `body` returns, floating again. */
  frame<T>(inputs: readonly Tensor[], body: () => T): T {
    return this.calls.run(inputs, body);
  }

  /** A module's call: a frame whose memory is counted at the module's place. */
  call<T>(place: number, inputs: readonly Tensor[], body: () => T): T {
    const outer = this.place;
    this.place = place;
    try {
      return this.frame(inputs, body);
    } finally {
      this.place = outer;
    }
  }

  /** Counts what `body` allocates as `kind`. */
  as<T>(kind: MemoryKind, body: () => T): T {
    const outer = this.kind;
    this.kind = kindIndex(kind);
    try {
      return body();
    } finally {
      this.kind = outer;
    }
  }

  /** Allocates on another stream, whose free blocks are its own. */
  onStream<T>(stream: number, body: () => T): T {
    const outer = this.stream;
    this.stream = stream;
    try {
      return body();
    } finally {
      this.stream = outer;
    }
  }

  /** Counts what `body` allocates at a place. */
  at<T>(place: number, body: () => T): T {
    const outer = this.place;
    this.place = place;
    try {
      return body();
    } finally {
      this.place = outer;
    }
  }

  withoutGradients<T>(body: () => T): T {
    const outer = this.gradientsEnabled;
    this.gradientsEnabled = false;
    try {
      return body();
    } finally {
      this.gradientsEnabled = outer;
    }
  }

  /** Number of handles that calls own at the moment; 0 outside of all calls. */
  get openHandles(): number {
    return this.calls.openHandles;
  }

  /** Depth of the running call; 0 outside of all calls. */
  get depth(): number {
    return this.calls.depth;
  }

  /** Takes results out of the running call's care: see `Calls.adopt`. */
  adopt(base: number, results: readonly (Tensor | null)[]): void {
    this.calls.adopt(base, results);
  }

  get stackHeight(): number {
    return this.calls.height;
  }

  // ---------------------------------------------------------------- the graph

  /** True when an operation on these inputs is recorded. */
  needs(...inputs: readonly (Tensor | null)[]): boolean {
    return this.gradientsEnabled && anyNeedsGradient(inputs);
  }

  /**
   * Records an operation: its edges and what it keeps. Null when no gradient is needed. Kept tensors are saved in
   * the given order, before the outputs are made, as PyTorch's generated code does.
   */
  record(
    inputs: readonly (Tensor | null)[],
    saved: readonly (Tensor | null)[],
    backward: Backward,
  ): Node | null {
    for (const input of inputs) if (input !== null) this.check(input);
    if (!this.gradientsEnabled || !anyNeedsGradient(inputs)) return null;
    return recordNode(this, this.nextSequence++, inputs, saved, backward);
  }

  /** Keeps `tensor` for the node's backward. */
  save(node: Node, tensor: Tensor): void {
    node.saved.push(this.saver === null ? this.alias(tensor) : this.saver.pack(tensor));
  }

  /** Makes `tensor` output number `slot` of `node`. */
  attach(tensor: Tensor, node: Node, slot: number): void {
    tensor.node = node;
    tensor.slot = slot;
    tensor.requiresGradient = true;
    node.references++;
  }

  /** The usual operation: keeps `saved`, makes one output, frees floating inputs. */
  apply(
    inputs: readonly (Tensor | null)[],
    saved: readonly (Tensor | null)[],
    shape: Shape,
    elementBytes: number,
    backward: Backward,
    keepsOutput = false,
  ): Tensor {
    const node = this.record(inputs, saved, backward);
    const output = this.create(shape, elementBytes);
    if (node !== null) {
      this.attach(output, node, 0);
      if (keepsOutput) this.save(node, output);
    }
    for (const input of inputs) if (input !== null) this.consume(input);
    return output;
  }

  /**
   * `tensor.requires_grad_()` on something that is no parameter: its gradient is collected like a parameter's and goes with
   * the graph.
   */
  requireGradient(tensor: Tensor): void {
    this.attach(tensor, gradientKeeper(this), 0);
    // The collector holds the tensor too, as AccumulateGrad holds its variable; a recomputation's graph is never used.
    if (this.saver?.recomputes !== true) this.retained.push(this.alias(tensor));
  }

  // ---------------------------------------------------------------- autocast

  /** True inside autocast. */
  get autocast(): boolean {
    return this.casts.enabled;
  }

  /** The input of a product: see `Autocast`. */
  castForProduct(tensor: Tensor): Tensor {
    return this.casts.castForProduct(tensor);
  }

  /** Runs `body` under autocast, or out of it. */
  underAutocast<T>(enabled: boolean, body: () => T): T {
    return this.casts.within(enabled, body);
  }

  /** Another element size: new memory, and the gradient is cast back. Nothing happens when it is that already. */
  cast(tensor: Tensor, elementBytes: number): Tensor {
    if (tensor.elementBytes === elementBytes) return tensor;
    const [shape, own, positionsFirst] = [tensor.shape, tensor.elementBytes, tensor.positionsFirst];
    const output = this.apply([tensor], [], shape, elementBytes, () => [this.create(shape, own)]);
    output.positionsFirst = positionsFirst;
    return output;
  }

  // ---------------------------------------------------------------- workspaces

  /** A product runs: its cuBLAS handle takes its workspace if it has none yet on this stream. */
  useCublas(): void {
    this.workspaces.cublas();
  }

  useCublasLt(): void {
    this.workspaces.cublasLt();
  }
}

/** Gives a result a name: it lives until the surrounding call ends. Returns it. */
export function hold(tensor: Tensor): Tensor {
  tensor.tape.check(tensor);
  tensor.floating = false;
  return tensor;
}

/** `hold` for each result of a call that returns several (`a, b = f(x)`). */
export function holdAll<T extends readonly Tensor[]>(tensors: T): T {
  for (const tensor of tensors) hold(tensor);
  return tensors;
}

/**
 * The last use of a held result: the operation that takes it frees it. Nothing happens to what this call does not own, nor
 * to its arguments, which live until it returns.
 */
export function last(tensor: Tensor): Tensor {
  tensor.tape.check(tensor);
  if (tensor.depth === tensor.tape.depth && !tensor.isArgument) tensor.floating = true;
  return tensor;
}

/** Lets go of a held result at once (`del`, or the rebinding of its name after its last use). */
export function release(tensor: Tensor): void {
  tensor.tape.release(tensor);
}
