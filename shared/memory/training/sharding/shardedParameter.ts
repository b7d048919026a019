import type { Module } from '../../tape/module';
import type { Tape } from '../../tape/tape';
import { elements, Parameter, type Shape, type Tensor } from '../../tape/tensor';

/** A parameter and its replacement: this process' shard, and the whole one that lives only while its group is gathered. */
export interface ShardedParameter {
  readonly original: Parameter;
  readonly shard: Parameter;
  readonly whole: Parameter;
  /** Elements of a shard, all of the same size: what is cut is padded to a multiple of the processes. */
  readonly shardElements: number;
  /** The whole gradient of the micro-batches so far in the type in which it will be reduced, where that is not the computing one's. */
  keptGradient: Tensor | null;
}

/** What is divided among the processes: FSDP2 divides a parameter's first dimension, DeepSpeed all of its elements. */
export type ShardCut = 'rows' | 'elements';

/** How parameters are cut. */
export interface ShardRules {
  readonly world: number;
  readonly cut: ShardCut;
  /** Shards are pinned in the machine's memory. */
  readonly onHost: boolean;
  /** Element size in which the model computes; null: the parameter's own. */
  readonly computeBytes: number | null;
}

/**
 * The shape of one shard of a parameter: what is cut is divided, rounded up. By rows a tensor with fewer rows than processes (a stack of
 * few experts) has one row on each, some of them padding.
 * https://github.com/deepspeedai/DeepSpeed/blob/v0.18.2/deepspeed/runtime/zero/partition_parameters.py
 */
export function shardShape(shape: Shape, world: number, cut: ShardCut): Shape {
  if (cut === 'elements') return [Math.ceil(elements(shape) / world)];
  const [first = 1, ...rest] = shape;
  return [Math.ceil(first / world), ...rest];
}

/** Elements of one shard. */
export const shardElements = (shape: Shape, world: number, cut: ShardCut): number =>
  elements(shardShape(shape, world, cut));

/**
 * Cuts a parameter: the padded shard is made on the card and with offload moved to pinned memory. The original stays until its
 * module's group is whole.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/torch/distributed/fsdp/_fully_shard/_fsdp_param.py
 */
export function shardParameter(tape: Tape, original: Parameter, rules: ShardRules): ShardedParameter {
  const { name, shape, elementBytes, requiresGradient } = original;
  const count = shardElements(shape, rules.world, rules.cut);
  if (rules.onHost) tape.as('parameters', () => tape.frame([], () => tape.scratch(count * elementBytes)));
  const make = rules.onHost ? 'createEmptyParameter' : 'createParameter';
  return {
    original,
    shard: tape[make](name, [count], elementBytes, requiresGradient),
    whole: tape.createEmptyParameter(name, shape, rules.computeBytes ?? elementBytes, requiresGradient),
    shardElements: count,
    keptGradient: null,
  };
}

/**
 * A module's own parameters in the order in which `named_parameters` lists them; an adapter's stand behind those of the layer
 * it wraps.
 */
export function ownParameters(module: Module): readonly Tensor[] {
  const { adapter } = module;
  const own = [...module.parameters.values()];
  return adapter === null ? own : [...own, adapter.down, adapter.up];
}

/** Puts the whole parameters in the place of the originals, wherever a module or an adapter uses one. */
export function replaceParameters(module: Module, replaced: ReadonlyMap<Tensor, Parameter>): void {
  for (const [name, tensor] of module.parameters) {
    const whole = replaced.get(tensor);
    if (whole !== undefined) module.parameters.set(name, whole);
  }
  const { adapter } = module;
  if (adapter !== null) {
    const [down, up] = [replaced.get(adapter.down), replaced.get(adapter.up)];
    module.adapter = { ...adapter, down: down ?? adapter.down, up: up ?? adapter.up };
  }
  for (const child of module.children) replaceParameters(child, replaced);
}

/** False for copies and views that stand in a parameter's place. */
export const isParameter = (tensor: Tensor): tensor is Parameter => tensor instanceof Parameter;
