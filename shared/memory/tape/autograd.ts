/** The graph that operations leave: nodes, what they keep, and where gradients are collected. */
import { kindIndex } from './log';
import { type Backward, Node, type Saved } from './node';
import type { Tape } from './tape';
import { type Parameter, Tensor } from './tensor';

const gradientsKind = kindIndex('gradients');

/** Whether an operation on these inputs is recorded. */
export function anyNeedsGradient(inputs: readonly (Tensor | null)[]): boolean {
  for (const input of inputs) if (input?.requiresGradient === true) return true;
  return false;
}

/** A node with its edges and what it keeps, saved in the given order. */
export function recordNode(
  tape: Tape,
  sequence: number,
  inputs: readonly (Tensor | null)[],
  saved: readonly (Tensor | null)[],
  backward: Backward,
): Node {
  const node = new Node(sequence, backward, inputs, tape.kind, tape.place);
  for (const tensor of saved) if (tensor !== null) tape.save(node, tensor);
  for (const input of inputs) {
    const target = input?.requiresGradient === true ? input.node : null;
    node.edges.push(target);
    if (target !== null) target.references++;
  }
  return node;
}

/** Lets go of one reference to a node; the last one drops what it keeps and goes on down the graph. */
export function dropNode(tape: Tape, first: Node): void {
  let node: Node | null = first;
  const waiting: Node[] = [];
  while (node !== null) {
    if (--node.references === 0) {
      releaseSaved(tape, node);
      for (const target of node.edges) if (target !== null) waiting.push(target);
      node.edges = [];
    }
    node = waiting.pop() ?? null;
  }
}

/** Frees what a node keeps (after it ran, or when it is dropped). */
export function releaseSaved(tape: Tape, node: Node): void {
  const saved: readonly Saved[] = node.saved;
  node.saved = [];
  for (const entry of saved) {
    if (entry instanceof Tensor) tape.release(entry);
    else entry.release();
  }
}

/** The node that collects the gradient of something that is no parameter: the gradient goes with the graph. */
export const gradientKeeper = (tape: Tape): Node =>
  new Node(
    Infinity,
    (gradient) => {
      tape.retained.push(tape.alias(gradient));
      return [];
    },
    [],
    tape.kind,
    tape.place,
  );

/** Gives a parameter the node that collects its gradient (AccumulateGrad). */
export function collectGradients(tape: Tape, parameter: Parameter): void {
  const collector = new Node(
    Infinity,
    (gradient) => {
      accumulate(tape, parameter, gradient);
      return [];
    },
    [],
    gradientsKind,
    tape.log.place(parameter.name),
  );
  collector.references = 1;
  parameter.node = collector;
}

/**
 * Adds to a parameter's gradient as AccumulateGrad does: the first gradient is taken over when nobody else holds
 * it and copied otherwise, later ones are added in place.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/torch/csrc/autograd/functions/accumulate_grad.h
 */
function accumulate(tape: Tape, parameter: Parameter, gradient: Tensor): void {
  if (parameter.gradient === null) {
    const shared = gradient.storage.references > 1 && !gradient.isView;
    parameter.gradient = shared
      ? tape.createOwned(gradient.shape, gradient.elementBytes, 'gradients')
      : tape.alias(gradient);
    tape.log.becomeGradient(parameter.gradient.storage.id);
  }
  parameter.afterGradient?.();
}
