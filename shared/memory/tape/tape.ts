import type { CheckpointFrame, Recomputation } from './checkpoint';
import { type AllocationLog, DEFAULT_STREAM, type KindIndex, kindIndex, type MemoryKind } from './log';
import { type Backward, Node, type Saved } from './node';
import { elements, FP32, HALF, Parameter, type Shape, Tensor } from './tensor';

const ACTIVATIONS = kindIndex('activations');
const PARAMETERS = kindIndex('parameters');
const NOTHING = -1;

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
  /** True inside autocast: fp32 inputs of products are cast to 16 bit. */
  autocast = false;
  /** Which 16-bit type is used; some kernels widen fp16 by themselves. */
  halfType: 'bf16' | 'fp16' = 'bf16';
  /** Where tensors kept for backward go: null = into the node, else checkpointing. */
  saver: CheckpointFrame | Recomputation | null = null;
  /** Threads have their own cuBLAS handles: 0 runs forward and the optimizer, 1 backward. */
  thread = 0;
  stream = DEFAULT_STREAM;
  kind: KindIndex = ACTIVATIONS;
  place = 0;
  depth = 0;

  /** Attention is recomputed in backward (`selective` checkpointing), and whether any was. */
  recomputesAttention = false;
  recomputedAttention = false;
  /** True once cuDNN ran: its library is part of the process then. */
  usesCudnn = false;
  /** Tensors and gradients that live as long as the graph; backward frees them at its end. */
  readonly retained: Tensor[] = [];

  private nextSequence = 0;
  private castCache = new Map<Tensor, Tensor>();
  private readonly workspaces = new Set<string>();
  private stack: Tensor[] = [];

  constructor(
    readonly log: AllocationLog,
    readonly card: CardTraits,
  ) {}

  // ---------------------------------------------------------------- making and freeing

  /** New memory, floating. */
  create(shape: Shape, elementBytes: number): Tensor {
    const bytes = elements(shape) * elementBytes;
    // An empty tensor takes no memory.
    const id = bytes === 0 ? NOTHING : this.log.allocate(bytes, this.kind, this.place, this.stream);
    return this.float(new Tensor(this, { id, references: 1 }, shape, elementBytes));
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
      PARAMETERS,
      this.log.place(name),
      this.stream,
    );
    const parameter = new Parameter(this, { id, references: 1 }, shape, elementBytes, name, trained);
    if (trained) this.collectGradients(parameter);
    return parameter;
  }

  /** A parameter whose memory comes later (`refill`), such as one that FSDP gathers from its shards. */
  createEmptyParameter(name: string, shape: Shape, elementBytes: number, trained: boolean): Parameter {
    const parameter = new Parameter(this, { id: NOTHING, references: 1 }, shape, elementBytes, name, trained);
    if (trained) this.collectGradients(parameter);
    return parameter;
  }

  /** `storage.resize_(0)`: the memory goes, every handle on it stays. */
  empty({ storage }: Tensor): void {
    if (storage.id !== NOTHING) this.log.free(storage.id);
    storage.id = NOTHING;
  }

  /** `storage.resize_(bytes)` of an emptied tensor: new memory behind all handles. */
  refill({ storage }: Tensor, bytes: number, kind: MemoryKind): void {
    if (storage.id !== NOTHING || bytes === 0) return;
    storage.id = this.log.allocate(bytes, kindIndex(kind), this.place, this.stream);
  }

  /** A handle on a part of the memory, owned by whoever asked. */
  part(tensor: Tensor, shape: Shape): Tensor {
    this.check(tensor);
    tensor.storage.references++;
    return new Tensor(this, tensor.storage, shape, tensor.elementBytes);
  }

  /** A second handle on the same memory, owned by whoever asked. */
  alias(tensor: Tensor): Tensor {
    this.check(tensor);
    tensor.storage.references++;
    const copy = new Tensor(this, tensor.storage, tensor.shape, tensor.elementBytes);
    copy.isView = tensor.isView;
    copy.positionsFirst = tensor.positionsFirst;
    return copy;
  }

  /** The same memory in another shape, floating and outside of the graph; `tensor` stays. */
  share(tensor: Tensor, shape: Shape): Tensor {
    this.check(tensor);
    tensor.storage.references++;
    const shared = new Tensor(this, tensor.storage, shape, tensor.elementBytes);
    shared.isView = tensor.isView;
    shared.positionsFirst = tensor.positionsFirst;
    return this.float(shared);
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
    if (tensor.node !== null && !(tensor instanceof Parameter)) this.dropNode(tensor.node);
    const { storage } = tensor;
    if (--storage.references === 0 && storage.id !== NOTHING) this.log.free(storage.id);
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
    const base = this.stack.length;
    const depth = ++this.depth;
    for (const input of inputs) {
      if (!input.floating) continue;
      input.floating = false;
      input.isArgument = true;
      input.depth = depth;
      this.stack.push(input);
    }
    let returned: readonly Tensor[] = [];
    try {
      const result = body();
      returned = tensorsIn(result);
      return result;
    } finally {
      this.depth = depth - 1;
      this.endFrame(base, depth, returned);
    }
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
    return this.stack.reduce((count, tensor) => count + (tensor.alive ? 1 : 0), 0);
  }

  private float(tensor: Tensor): Tensor {
    tensor.floating = true;
    tensor.depth = this.depth;
    this.stack.push(tensor);
    return tensor;
  }

  private endFrame(base: number, depth: number, returned: readonly Tensor[]): void {
    const kept: Tensor[] = [];
    for (const tensor of returned) {
      if (tensor.depth === depth && tensor.alive) kept.push(tensor);
    }
    for (let index = base; index < this.stack.length; index++) {
      const tensor = this.stack[index];
      if (tensor === undefined || !tensor.alive || tensor.depth !== depth || kept.includes(tensor)) continue;
      this.release(tensor);
    }
    this.stack.length = base;
    for (const tensor of kept) {
      tensor.floating = true;
      tensor.isArgument = false;
      tensor.depth = depth - 1;
      this.stack.push(tensor);
    }
  }

  /** Takes results out of the running call's care: the caller of this method owns them. */
  adopt(base: number, results: readonly (Tensor | null)[]): void {
    for (const tensor of results) {
      if (tensor !== null && tensor.depth >= 0) {
        tensor.depth = NOTHING;
        tensor.floating = false;
      }
    }
    for (let index = base; index < this.stack.length; index++) {
      const tensor = this.stack[index];
      if (tensor !== undefined && tensor.alive && tensor.depth >= 0) this.release(tensor);
    }
    this.stack.length = base;
  }

  get stackHeight(): number {
    return this.stack.length;
  }

  // ---------------------------------------------------------------- the graph

  /** True when an operation on these inputs is recorded. */
  needs(...inputs: readonly (Tensor | null)[]): boolean {
    return this.gradientsEnabled && inputs.some((input) => input !== null && input.requiresGradient);
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
    if (!this.needs(...inputs)) return null;
    const node = new Node(this.nextSequence++, backward, this.kind, this.place);
    for (const tensor of saved) if (tensor !== null) this.save(node, tensor);
    for (const input of inputs) {
      const target = input !== null && input.requiresGradient ? input.node : null;
      node.edges.push(target);
      node.slots.push(input?.slot ?? 0);
      node.inputShapes.push(input?.shape ?? []);
      node.inputBytes.push(input?.elementBytes ?? 0);
      if (target !== null) target.references++;
    }
    return node;
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

  /** Lets go of one reference to a node; the last one drops what it keeps and goes on down the graph. */
  dropNode(first: Node): void {
    let node: Node | null = first;
    const waiting: Node[] = [];
    while (node !== null) {
      if (--node.references === 0) {
        this.releaseSaved(node);
        for (const target of node.edges) if (target !== null) waiting.push(target);
        node.edges = [];
      }
      node = waiting.pop() ?? null;
    }
  }

  /** Frees what a node keeps (after it ran, or when it is dropped). */
  releaseSaved(node: Node): void {
    const saved: readonly Saved[] = node.saved;
    node.saved = [];
    for (const entry of saved) {
      if (entry instanceof Tensor) this.release(entry);
      else entry.release();
    }
  }

  /**
   * `tensor.requires_grad_()` on something that is no parameter: its gradient is collected like a parameter's and goes with
   * the graph.
   */
  requireGradient(tensor: Tensor): void {
    const collector = new Node(
      Infinity,
      (gradient) => {
        this.retained.push(this.alias(gradient));
        return [];
      },
      this.kind,
      this.place,
    );
    this.attach(tensor, collector, 0);
    // The collector holds the tensor too, as AccumulateGrad holds its variable; a recomputation's graph is never used.
    if (this.saver?.recomputes !== true) this.retained.push(this.alias(tensor));
  }

  private collectGradients(parameter: Parameter): void {
    const collector = new Node(
      Infinity,
      (gradient) => {
        this.accumulate(parameter, gradient);
        return [];
      },
      kindIndex('gradients'),
      this.log.place(parameter.name),
    );
    collector.references = 1;
    parameter.node = collector;
  }

  /**
   * Adds to a parameter's gradient as AccumulateGrad does: the first gradient is taken over when nobody else holds
   * it and copied otherwise, later ones are added in place.
   * https://github.com/pytorch/pytorch/blob/v2.11.0/torch/csrc/autograd/functions/accumulate_grad.h
   */
  private accumulate(parameter: Parameter, gradient: Tensor): void {
    if (parameter.gradient === null) {
      const shared = gradient.storage.references > 1 && !gradient.isView;
      parameter.gradient = shared
        ? this.createOwned(gradient.shape, gradient.elementBytes, 'gradients')
        : this.alias(gradient);
      this.log.becomeGradient(parameter.gradient.storage.id);
    }
    parameter.afterGradient?.();
  }

  // ---------------------------------------------------------------- autocast

  /**
   * The input of a product under autocast: fp32 becomes 16 bit. Casts of trained parameters are cached until
   * autocast ends; those of frozen ones are made anew each time.
   * https://github.com/pytorch/pytorch/blob/v2.11.0/aten/src/ATen/autocast_mode.cpp
   */
  castForProduct(tensor: Tensor): Tensor {
    if (!this.autocast || tensor.elementBytes !== FP32) return tensor;
    if (!(tensor instanceof Parameter) || !tensor.requiresGradient) return this.cast(tensor, HALF);
    const cached = this.castCache.get(tensor);
    if (cached !== undefined) return cached;
    const made = this.cast(tensor, HALF);
    made.floating = false;
    made.depth = NOTHING;
    this.castCache.set(tensor, made);
    return made;
  }

  /** Runs `body` under autocast with a cast cache of its own, as the outermost `with autocast` does. */
  underAutocast<T>(enabled: boolean, body: () => T): T {
    const [outer, outerCache] = [this.autocast, this.castCache];
    this.autocast = enabled;
    this.castCache = new Map();
    try {
      return body();
    } finally {
      for (const made of this.castCache.values()) this.release(made);
      this.autocast = outer;
      this.castCache = outerCache;
    }
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
    this.workspace(`cublas ${this.thread} ${this.stream}`, this.card.cublasWorkspaceBytes);
  }

  useCublasLt(): void {
    this.workspace(`cublasLt ${this.thread} ${this.stream}`, this.card.cublasLtWorkspaceBytes);
  }

  private workspace(key: string, bytes: number): void {
    if (this.workspaces.has(key)) return;
    this.workspaces.add(key);
    if (bytes > 0) this.createOwned([bytes], 1, 'workspace');
  }
}

/** The tensors that a call returns: its result, or those in a list of results. */
function tensorsIn(result: unknown): readonly Tensor[] {
  if (result instanceof Tensor) return [result];
  return Array.isArray(result) ? result.filter((entry) => entry instanceof Tensor) : [];
}

/** Gives a result a name: it lives until the surrounding call ends. Returns it. */
export function hold(tensor: Tensor): Tensor {
  tensor.tape.check(tensor);
  tensor.floating = false;
  return tensor;
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
