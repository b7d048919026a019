import { releaseSaved } from './autograd';
import type { Node } from './node';
import type { Tape } from './tape';
import { elements, type Shape, Tensor, width } from './tensor';
import { sumColumns } from '../operations/reductions';

/**
 * Runs backward from a scalar, as PyTorch's engine does: always the ready node that was created last; its gradients
 * are summed and cast to what its inputs were; then what it was given and what it kept is freed; then its gradients go
 * to the nodes before it.
 * `finish` runs when all nodes have (`queue_callback`). `given`: the gradient of `root`, which stays its owner's; null: a new one is
 * made, as for a loss.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/torch/csrc/autograd/engine.cpp
 */
export function backward(
  tape: Tape,
  root: Tensor,
  finish: () => void = () => undefined,
  given: Tensor | null = null,
): void {
  const first = root.node;
  if (first === null) throw new Error('Backward needs a result that depends on something trained.');
  countDependencies(first);
  const outer = {
    kind: tape.kind,
    place: tape.place,
    gradients: tape.gradientsEnabled,
  };
  const seed = given ?? tape.create(root.shape, root.elementBytes);
  seed.floating = false;
  deliver(tape, first, root.slot, tape.alias(seed));
  tape.gradientsEnabled = false;
  const ready = new ReadyQueue();
  ready.push(first);
  for (let node = ready.pop(); node !== null; node = ready.pop()) {
    tape.kind = node.kind;
    tape.place = node.place;
    if (node.hooks !== null) for (const hook of node.hooks) hook();
    runNode(tape, node, ready);
  }
  finish();
  tape.gradientsEnabled = outer.gradients;
  tape.kind = outer.kind;
  tape.place = outer.place;
  for (const gradient of tape.retained.splice(0)) tape.release(gradient);
  if (given === null) tape.release(seed);
}

function countDependencies(first: Node): void {
  const waiting = [first];
  for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
    for (const target of node.edges) {
      if (target === null) continue;
      target.dependencies++;
      if (target.isCounted) continue;
      target.isCounted = true;
      waiting.push(target);
    }
  }
}

function runNode(tape: Tape, node: Node, ready: ReadyQueue): void {
  const gradients = node.gradients;
  node.gradients = [];
  const results = applyNode(tape, node, gradients);
  releaseSaved(tape, node);
  const { edges, inputs } = node;
  // A node that ran keeps nothing, so the references its edges held on later nodes need no dropping.
  node.edges = [];
  for (let index = 0; index < edges.length; index++) {
    const target = edges[index];
    const result = results[index] ?? null;
    if (target === null || target === undefined) continue;
    if (result !== null) deliver(tape, target, inputs[index]?.slot ?? 0, result);
    if (--target.dependencies === 0) ready.push(target);
  }
}

/** The node's own work, none where it got no gradient; its gradients are freed, its results belong to the caller. */
function applyNode(tape: Tape, node: Node, gradients: readonly (Tensor | null)[]): (Tensor | null)[] {
  const base = tape.stackHeight;
  const given = firstOf(gradients);
  if (given === null) return [];
  const kept: Tensor[] = [];
  const unpacked: Tensor[] = [];
  for (let index = 0; index < node.saved.length; index++) {
    const entry = node.saved[index];
    if (entry === undefined) continue;
    if (entry instanceof Tensor) kept.push(entry);
    else {
      const tensor = entry.take();
      kept.push(tensor);
      unpacked.push(tensor);
    }
  }
  const raw = node.backward(gradients[0] ?? given, kept, gradients);
  const results: (Tensor | null)[] = [];
  for (let index = 0; index < raw.length; index++) {
    const result = raw[index] ?? null;
    // The gradient itself, or one result for two inputs, is handed on as a further reference.
    const isShared = result !== null && (result.depth < 0 || raw.indexOf(result) < index);
    results.push(isShared ? tape.alias(result) : result);
  }
  tape.adopt(base, results);
  for (const tensor of unpacked) tape.release(tensor);
  for (let index = 0; index < results.length; index++) {
    const result = results[index];
    if (result !== null && result !== undefined) results[index] = fit(tape, node, index, result);
  }
  for (let index = 0; index < gradients.length; index++) {
    const gradient = gradients[index] ?? null;
    if (gradient !== null) tape.release(gradient);
  }
  return results;
}

function firstOf(gradients: readonly (Tensor | null)[]): Tensor | null {
  for (let index = 0; index < gradients.length; index++) {
    const gradient = gradients[index] ?? null;
    if (gradient !== null) return gradient;
  }
  return null;
}

/** Drops a gradient nobody needs, sums it over broadcast dimensions, casts it to the input's element size. */
function fit(tape: Tape, node: Node, index: number, result: Tensor): Tensor | null {
  const input = node.inputs[index] ?? null;
  if (node.edges[index] === null || input === null) {
    tape.release(result);
    return null;
  }
  const { elementBytes: bytes, shape } = input;
  let fitted = result;
  if (elements(fitted.shape) !== elements(shape))
    fitted = replace(tape, fitted, () => sumTo(tape, fitted, shape));
  if (fitted.elementBytes !== bytes) fitted = replace(tape, fitted, () => tape.create(shape, bytes));
  return fitted;
}

function sumTo(tape: Tape, gradient: Tensor, shape: Shape): Tensor {
  const count = elements(shape);
  const sum =
    count === width(shape)
      ? sumColumns(tape, elements(gradient.shape) / count, count, gradient.elementBytes)
      : tape.create(shape, gradient.elementBytes);
  // The sum keeps all dimensions; leaving out the leading ones is a view of it, as for the bias of a product.
  sum.isView = shape.length < gradient.shape.length;
  return sum;
}

function replace(tape: Tape, old: Tensor, make: () => Tensor): Tensor {
  const base = tape.stackHeight;
  const made = make();
  tape.adopt(base, [made]);
  tape.release(old);
  return made;
}

/**
 * Adds a gradient to what a node has collected: in place where PyTorch may (nobody else holds the memory and it is
 * no view), else into a new tensor.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/torch/csrc/autograd/input_buffer.cpp
 */
function deliver(tape: Tape, node: Node, slot: number, gradient: Tensor): void {
  while (node.gradients.length <= slot) node.gradients.push(null);
  const collected = node.gradients[slot];
  if (collected === null || collected === undefined) {
    node.gradients[slot] = gradient;
    return;
  }
  if (!collected.isView && collected.storage.references === 1) {
    tape.release(gradient);
    return;
  }
  const sum = replace(tape, collected, () => tape.create(collected.shape, collected.elementBytes));
  node.gradients[slot] = sum;
  tape.release(gradient);
}

/** The ready nodes, highest sequence number first. */
class ReadyQueue {
  private readonly heap: Node[] = [];

  push(node: Node): void {
    const { heap } = this;
    let index = heap.length;
    heap.push(node);
    while (index > 0) {
      const parentIndex = (index - 1) >> 1;
      const parent = heap[parentIndex];
      if (parent === undefined || parent.sequence >= node.sequence) break;
      heap[index] = parent;
      index = parentIndex;
    }
    heap[index] = node;
  }

  pop(): Node | null {
    const { heap } = this;
    const top = heap[0];
    const moved = heap.pop();
    if (top === undefined || moved === undefined) return null;
    if (heap.length === 0) return top;
    let index = 0;
    for (;;) {
      const left = heap[index * 2 + 1];
      const right = heap[index * 2 + 2];
      if (left === undefined) break;
      const larger = right !== undefined && right.sequence > left.sequence ? right : left;
      if (larger.sequence <= moved.sequence) break;
      heap[index] = larger;
      index = larger === left ? index * 2 + 1 : index * 2 + 2;
    }
    heap[index] = moved;
    return top;
  }
}
