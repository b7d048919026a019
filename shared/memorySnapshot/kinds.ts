/**
 * What each allocation is for, in the memory engine's own kinds: by the stack that made it, and where that does not say it all,
 * by how long it lived. Null: unknown.
 */
import { memoryKinds, type MemoryKind } from '../memory/tape/log';
import { MiB, KiB } from '../units';
import { actionNumber } from './records';
import type { Allocation, DeviceHistory } from './replay';
import type { StackRoles } from './stackRoles';
import type { Span, StepMarks } from './steps';

/** Workspaces that cuBLAS takes on Hopper, on other cards, and cuBLASLt's (CublasHandlePool.cpp). */
const workspaceSizes: ReadonlySet<number> = new Set([32 * MiB, 8 * MiB + 128 * KiB, MiB]);

const freeRequested = actionNumber('free_requested');

/** For each allocation the place of its kind in `memoryKinds`; `unknownKind` where it is unknown. */
export const unknownKind = memoryKinds.length;

export const kindName = (kind: number): MemoryKind | null => memoryKinds[kind] ?? null;

export function kindsOf(history: DeviceHistory, marks: StepMarks, roles: StackRoles): Uint8Array {
  const kinds = new Uint8Array(history.allocations.length).fill(unknownKind);
  const context: Context = {
    history,
    optimizer: marks.optimizer,
    zeroGrad: marks.zeroGrad,
    roles,
    firstFree: firstFreeOf(history),
    logitSizes: logitSizesOf(history, roles),
  };
  /** Stacks and sizes whose allocations became gradients, for those whose end the history does not show. */
  const gradientLike = new Set<string>();
  const open: number[] = [];
  history.allocations.forEach((allocation, id) => {
    const kind = kindOf(allocation, context);
    if (kind === null) return;
    kinds[id] = memoryKinds.indexOf(kind);
    const role = roles.role(allocation.stack);
    if (kind === 'gradients') gradientLike.add(likeness(allocation));
    else if (role === 'backward' && allocation.freedAt === Infinity) open.push(id);
  });
  for (const id of open) {
    const allocation = history.allocations[id];
    if (allocation !== undefined && gradientLike.has(likeness(allocation)))
      kinds[id] = memoryKinds.indexOf('gradients');
  }
  return kinds;
}

const likeness = ({ requestedBytes, stack }: Allocation): string => `${stack} ${requestedBytes}`;

interface Context {
  readonly history: DeviceHistory;
  readonly optimizer: readonly Span[];
  readonly zeroGrad: readonly Span[];
  readonly roles: StackRoles;
  readonly firstFree: number;
  readonly logitSizes: ReadonlySet<number>;
}

/** Sizes of what the loss made: backward makes gradients of the same sizes. */
function logitSizesOf({ allocations }: DeviceHistory, roles: StackRoles): ReadonlySet<number> {
  return new Set(
    allocations
      .filter(({ requestedBytes, stack }) => requestedBytes >= MiB && roles.role(stack) === 'loss')
      .map(({ requestedBytes }) => requestedBytes),
  );
}

function firstFreeOf({ trace }: DeviceHistory): number {
  for (let event = 0; event < trace.count; event++) if (trace.action[event] === freeRequested) return event;
  return trace.count;
}

function kindOf(allocation: Allocation, context: Context): MemoryKind | null {
  // What was there before the history and has no stack may be anything.
  const isOld = allocation.allocatedAt < 0 && allocation.stack === 0;
  const role = isOld ? 'unknown' : context.roles.role(allocation.stack);
  switch (role) {
    case 'build':
      return 'parameters';
    case 'optimizer':
      return 'optimizer';
    case 'workspace':
    case 'clip':
      return 'workspace';
    case 'communication':
      return 'buffers';
    case 'loss':
    case 'backward-of-loss':
      return 'logits';
    case 'forward':
    case 'recompute':
      return isWorkspace(allocation, context) ? 'workspace' : 'activations';
    case 'backward':
      if (isGradient(allocation, context)) return 'gradients';
      // Without C++ frames the size alone tells.
      if (allocation.stack === 0 && context.logitSizes.has(allocation.requestedBytes)) return 'logits';
      return isWorkspace(allocation, context) ? 'workspace' : 'activations';
    case 'zero_grad':
    case 'script':
      return 'buffers';
    case 'unknown':
      return kindByLife(allocation, context);
  }
}

/** A block of a workspace's size that a product took and nobody ever gave back. */
const isWorkspace = ({ allocatedAt, freedAt, requestedBytes }: Allocation, { optimizer }: Context): boolean =>
  workspaceSizes.has(requestedBytes) &&
  freedAt === Infinity &&
  optimizer.length - placeAfter(optimizer, allocatedAt) >= 2;

/** Made in backward, there when the optimizer steps, and gone before it steps again, or freed by `zero_grad`. */
function isGradient(allocation: Allocation, { optimizer, roles, zeroGrad }: Context): boolean {
  const { allocatedAt, freedAt } = allocation;
  if (roles.role(allocation.freeStack) === 'zero_grad' && freedAt !== Infinity) return true;
  if (isWithin(zeroGrad, freedAt)) return true;
  const step = firstAfter(optimizer, allocatedAt);
  return step !== null && freedAt > step.from && !workspaceSizes.has(allocation.requestedBytes);
}

/** Without stacks: by what was going on when it came and when it went. */
function kindByLife(allocation: Allocation, context: Context): MemoryKind | null {
  const { allocatedAt, freedAt } = allocation;
  const { firstFree, optimizer, zeroGrad } = context;
  if (freedAt !== Infinity && context.roles.role(allocation.freeStack) === 'zero_grad') return 'gradients';
  if (allocatedAt < 0) return null;
  if (isWithin(optimizer, allocatedAt)) return 'optimizer';
  if (isWithin(zeroGrad, freedAt)) return 'gradients';
  if (isWorkspace(allocation, context)) return 'workspace';
  // Building a model frees nothing, and its weights stay.
  if (allocatedAt < firstFree && freedAt === Infinity) return 'parameters';
  if (optimizer.length === 0) return null;
  const step = firstAfter(optimizer, allocatedAt);
  return step === null || freedAt < step.from ? 'activations' : null;
}

/** Whether an entry lies in any of the spans, which are in order. */
function isWithin(spans: readonly Span[], event: number): boolean {
  const before = spans[placeAfter(spans, event) - 1];
  return before !== undefined && event < before.to;
}

/** The first span that begins after an entry. */
const firstAfter = (spans: readonly Span[], event: number): Span | null =>
  spans[placeAfter(spans, event)] ?? null;

function placeAfter(spans: readonly Span[], event: number): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.from ?? 0) <= event) low = middle + 1;
    else high = middle;
  }
  return low;
}
