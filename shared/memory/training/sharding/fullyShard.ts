/** FSDP2: parameters, gradients and optimizer state in shards, gathered block by block. */
import type { BuiltModel, Module } from '../../tape/module';
import { afterBackwardOf, beforeBackwardOf } from '../../tape/passage';
import { release, type Tape } from '../../tape/tape';
import type { Parameter, Tensor } from '../../tape/tensor';
import type { Distribution } from '../distribution';
import { type Communication, ShardGroup } from './shardGroup';
import {
  isParameter,
  ownParameters,
  replaceParameters,
  type ShardCut,
  type ShardedParameter,
  shardParameter,
} from './shardedParameter';

/** What of `fully_shard`'s arguments decides memory. */
export interface ShardingSettings {
  readonly world: number;
  readonly cut: ShardCut;
  /** `reshard_after_forward` of every group. */
  readonly freesAfterForward: boolean;
  /** `CPUOffloadPolicy`: shards, gradients and the optimizer are in the machine's memory. */
  readonly onHost: boolean;
  /** `MixedPrecisionPolicy`: element sizes for computing and for reducing; null: none. */
  readonly mixedPrecision: { readonly computeBytes: number; readonly reduceBytes: number } | null;
  /** Gradients are reduced in the last micro-batch of a step only (`set_requires_gradient_sync`). */
  readonly reducesLast: boolean;
}

/**
 * `fully_shard` on every block and then on the model, which takes what is left (embeddings, final norm, head).
 * https://github.com/pytorch/pytorch/blob/v2.11.0/torch/distributed/fsdp/_fully_shard/_fully_shard.py
 */
export class FullyShardedTraining implements Distribution {
  readonly trained: readonly Parameter[];
  readonly optimizerOnCard: boolean;
  private readonly communication: Communication;
  private readonly rootGroup: ShardGroup;
  /** The root first, then the blocks in order: in which order the end of backward goes through them. */
  private readonly groups: readonly ShardGroup[];

  constructor(
    private readonly tape: Tape,
    { root }: BuiltModel,
    trained: readonly Parameter[],
    private readonly settings: ShardingSettings,
  ) {
    const { world, freesAfterForward, mixedPrecision, onHost } = settings;
    this.optimizerOnCard = !onHost;
    this.communication = {
      tape,
      world,
      onHost,
      freesAfterForward,
      reduceBytes: mixedPrecision?.reduceBytes ?? null,
      lastGathered: null,
      lastReduced: null,
      forwardOrder: [],
      reducesGradients: true,
    };
    const shards = new Map<Tensor, Parameter>();
    const blocks = blocksOf(root).map((block) => {
      const group = this.shard(root, block, shards);
      block.hooks = this.hooksOf(group);
      return group;
    });
    this.rootGroup = this.shard(root, root, shards);
    this.groups = [this.rootGroup, ...blocks];
    this.trained = trained.map((parameter) => shards.get(parameter) ?? parameter);
  }

  forward(body: () => Tensor, isLast: boolean): Tensor {
    const { communication, rootGroup } = this;
    communication.reducesGradients = isLast || !this.settings.reducesLast;
    rootGroup.beforeForward();
    const loss = body();
    rootGroup.afterForward();
    beforeBackwardOf(loss, () => rootGroup.beforeBackward());
    if (communication.lastGathered !== null) release(communication.lastGathered);
    communication.lastGathered = null;
    return loss;
  }

  finishBackward(): void {
    const { communication } = this;
    for (const group of this.groups) group.finishBackward();
    if (communication.lastReduced !== null) release(communication.lastReduced);
    communication.lastReduced = null;
    communication.forwardOrder.length = 0;
  }

  /** One `fully_shard` call: new shards for all parameters that no inner call took, then the originals go. */
  private shard(root: Module, module: Module, shards: Map<Tensor, Parameter>): ShardGroup {
    const { settings, tape } = this;
    const taken = new Set<Tensor>();
    const sharded: ShardedParameter[] = [];
    for (const owner of ownersOf(module, module)) {
      for (const original of ownParameters(owner)) {
        if (!isParameter(original) || taken.has(original)) continue;
        taken.add(original);
        const parameter = shardParameter(tape, original, {
          world: settings.world,
          cut: settings.cut,
          onHost: settings.onHost,
          computeBytes: settings.mixedPrecision?.computeBytes ?? null,
        });
        sharded.push(parameter);
        shards.set(original, parameter.shard);
      }
    }
    replaceParameters(root, new Map(sharded.map(({ original, whole }) => [original, whole])));
    for (const { original } of sharded) release(original);
    return new ShardGroup(this.communication, sharded, module.path);
  }

  /** Gathers before a block's forward, frees after it, and catches where backward enters and leaves the block. */
  private hooksOf(group: ShardGroup): NonNullable<Module['hooks']> {
    const { tape } = this;
    return {
      before: (input) => {
        // In a recomputation backward has gathered the block already, but not the other blocks of a segment.
        if (group.inBackward) return input;
        if (tape.saver?.recomputes === true) {
          group.beforeRecomputation();
          return input;
        }
        group.beforeForward();
        return afterBackwardOf(tape, input, () => group.afterBackward());
      },
      after: (output) => {
        if (group.inBackward) return;
        if (tape.saver?.recomputes === true) {
          group.afterRecomputation();
          return;
        }
        group.afterForward();
        beforeBackwardOf(output, () => group.beforeBackward());
      },
    };
  }
}

/** Modules that FSDP manages in one call, children before their parent, without those of inner calls. */
function ownersOf(module: Module, start: Module): Module[] {
  if (module !== start && module.isBlock) return [];
  return [...module.children.flatMap((child) => ownersOf(child, start)), module];
}

/** The model's blocks, outermost ones only, in order. */
function blocksOf(module: Module): Module[] {
  return module.isBlock ? [module] : module.children.flatMap(blocksOf);
}
