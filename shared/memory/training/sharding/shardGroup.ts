import { gatherPlace, reducePlace } from '../../tape/places';
import { hold, release, type Tape } from '../../tape/tape';
import type { Tensor } from '../../tape/tensor';
import { copyInTableBytes, copyOutTableBytes } from './copyTables';
import type { ShardedParameter } from './shardedParameter';

/** Streams beside the default one: shards are gathered on the first, gradients reduced on the second. */
const gatherStream = 1;
const reduceStream = 2;

/** What the groups of one model share. */
export interface Communication {
  readonly tape: Tape;
  readonly world: number;
  readonly onHost: boolean;
  /** Element size in which gradients are reduced; null: their own. */
  readonly reduceBytes: number | null;
  /** False: gathered weights stay until backward has used them (`reshard_after_forward=False`). */
  readonly freesAfterForward: boolean;
  /** The last gathered buffer in forward, freed after the next group has copied its own out. */
  lastGathered: Tensor | null;
  /** The last buffer of gradients that was reduced, freed when the next group needs one. */
  lastReduced: Tensor | null;
  /** Groups in the order in which their forwards ended; backward gathers ahead in reverse. */
  readonly forwardOrder: ShardGroup[];
  /** `set_requires_gradient_sync`: false while a further micro-batch of the step is to come, until which gradients stay whole. */
  reducesGradients: boolean;
}

type Phase = 'idle' | 'forward' | 'backward' | 'done';

/**
 * The parameters of one `fully_shard` call: gathered together before forward and backward, their gradients reduced together.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/torch/distributed/fsdp/_fully_shard/_fsdp_param_group.py
 */
export class ShardGroup {
  private phase: Phase = 'idle';
  private isWhole = false;
  /** Gathering was started and its buffer waits to be copied out; `null` inside: one process needs no buffer. */
  private pending: { readonly buffer: Tensor | null } | null = null;
  private readonly forwardIndices: number[] = [];

  private readonly gatherPlace: number;
  private readonly reducePlace: number;

  /** `path`: of the module that the group belongs to, for the places at which its memory is counted. */
  constructor(
    private readonly communication: Communication,
    readonly parameters: readonly ShardedParameter[],
    path: string,
  ) {
    const { log } = communication.tape;
    this.gatherPlace = log.place(gatherPlace(path));
    this.reducePlace = log.place(reducePlace(path));
  }

  /** True while backward (or a recomputation in it) is at this group. */
  get inBackward(): boolean {
    return this.phase === 'backward';
  }

  beforeForward(): void {
    this.phase = 'forward';
    this.gather();
    this.copyOut();
  }

  afterForward(): void {
    const { forwardOrder, freesAfterForward } = this.communication;
    if (freesAfterForward) this.freeWhole();
    this.forwardIndices.push(forwardOrder.length);
    forwardOrder.push(this);
    this.phase = 'idle';
  }

  /** Within a segment that backward has begun to recompute, in front of a block whose own backward comes later. */
  beforeRecomputation(): void {
    this.gather();
    this.copyOut();
  }

  afterRecomputation(): void {
    if (this.communication.freesAfterForward) this.freeWhole();
  }

  beforeBackward(): void {
    if (this.phase === 'backward') return;
    this.phase = 'backward';
    this.gather();
    this.copyOut();
    const index = this.forwardIndices.pop();
    if (index !== undefined && index > 0) this.communication.forwardOrder[index - 1]?.gather();
  }

  /** Reduces the gradients that have come, or keeps them for a later micro-batch, and frees the whole parameters. */
  afterBackward(): void {
    this.phase = 'done';
    this.addToKept();
    if (!this.communication.reducesGradients) {
      this.freeWhole();
      this.keepGradients();
      return;
    }
    const withGradient: ShardedParameter[] = [];
    const gradients: Tensor[] = [];
    for (const parameter of this.parameters) {
      const gradient = parameter.keptGradient ?? parameter.whole.gradient;
      if (gradient === null) continue;
      withGradient.push(parameter);
      gradients.push(gradient);
      parameter.keptGradient = null;
      parameter.whole.gradient = null;
    }
    this.freeWhole();
    if (gradients.length > 0) this.reduce(withGradient, gradients);
  }

  /** `accumulate_unsharded_grad_if_needed`: in place, one parameter after the other. */
  private addToKept(): void {
    for (const { keptGradient, whole } of this.parameters) {
      if (keptGradient === null || whole.gradient === null) continue;
      release(whole.gradient);
      whole.gradient = null;
    }
  }

  /**
   * `to_accumulated_grad_if_needed`: a whole gradient stays where autograd put it, or is cast to the type in which it will be reduced.
   * https://github.com/pytorch/pytorch/blob/v2.11.0/torch/distributed/fsdp/_fully_shard/_fsdp_param.py
   */
  private keepGradients(): void {
    const { reduceBytes, tape } = this.communication;
    tape.at(this.reducePlace, () => {
      for (const parameter of this.parameters) {
        const { gradient } = parameter.whole;
        if (gradient === null || reduceBytes === null || gradient.elementBytes === reduceBytes) continue;
        parameter.keptGradient = tape.createOwned(gradient.shape, reduceBytes, 'gradients');
        release(gradient);
        parameter.whole.gradient = null;
      }
    });
  }

  /** At the end of backward: what has not had its turn (inputs without gradient) is done now. */
  finishBackward(): void {
    if (this.phase !== 'done') this.afterBackward();
    this.phase = 'idle';
    this.forwardIndices.length = 0;
    const buffer = this.pending?.buffer ?? null;
    if (buffer !== null) release(buffer);
    this.pending = null;
  }

  private gather(): void {
    if (this.pending !== null || this.isWhole) return;
    const { tape, world } = this.communication;
    if (world === 1) {
      this.pending = { buffer: null };
      return;
    }
    const buffer = tape.onStream(gatherStream, () =>
      tape.at(this.gatherPlace, () =>
        tape.frame([], () =>
          tape.as('buffers', () => {
            this.makeGatherInputs();
            return tape.createOwned([this.wholeBytes()], 1, 'buffers');
          }),
        ),
      ),
    );
    this.pending = { buffer };
  }

  /** Shards in the type that is gathered: cast all together, or copied from the machine's memory and cast one by one. */
  private makeGatherInputs(): void {
    const { tape, onHost } = this.communication;
    const casts = (parameter: ShardedParameter): boolean =>
      parameter.shard.elementBytes !== parameter.whole.elementBytes;
    if (!onHost) {
      const bytes = this.parameters
        .filter(casts)
        .reduce((sum, { shardElements, whole }) => sum + shardElements * whole.elementBytes, 0);
      if (bytes > 0) hold(tape.create([bytes], 1));
      return;
    }
    for (const parameter of this.parameters) {
      const { shard, shardElements, whole } = parameter;
      const copied = hold(tape.create([shardElements], shard.elementBytes));
      if (!casts(parameter)) continue;
      hold(tape.create([shardElements], whole.elementBytes));
      release(copied);
    }
  }

  private copyOut(): void {
    if (this.pending === null) return;
    const { tape, world } = this.communication;
    const { buffer } = this.pending;
    tape.at(this.gatherPlace, () => {
      // A whole parameter keeps the padding that makes its shards equal.
      for (const { whole, shardElements } of this.parameters)
        tape.refill(whole, shardElements * world * whole.elementBytes, 'parameters');
      if (world > 1) this.scratch(copyOutTableBytes(this.shardBytes(), world, tape.card));
    });
    this.isWhole = true;
    this.pending = null;
    if (this.phase !== 'forward') {
      if (buffer !== null) release(buffer);
      return;
    }
    // The next group's copy may overlap with this buffer's collective, so it outlives this call.
    const { lastGathered } = this.communication;
    if (lastGathered !== null) release(lastGathered);
    this.communication.lastGathered = buffer;
  }

  private freeWhole(): void {
    if (!this.isWhole) return;
    for (const { whole } of this.parameters) this.communication.tape.empty(whole);
    this.isWhole = false;
  }

  /** Gradients are copied into one buffer, which is reduced into this process' part. */
  private reduce(parameters: readonly ShardedParameter[], gradients: readonly Tensor[]): void {
    const { communication, reducePlace } = this;
    const { onHost, tape, world } = communication;
    const bytes = communication.reduceBytes ?? gradients[0]?.elementBytes ?? 1;
    const shardCount = parameters.reduce((sum, { shardElements }) => sum + shardElements, 0);
    if (communication.lastReduced !== null) release(communication.lastReduced);
    tape.at(reducePlace, () => {
      communication.lastReduced = tape.createOwned([shardCount * world], bytes, 'buffers');
      this.scratch(copyInTableBytes(parameters.map(({ shardElements }) => shardElements * bytes)));
      for (const gradient of gradients.slice(0, -1)) release(gradient);
      const reduced = this.makeReduced(shardCount, bytes, parameters[0]?.shard.elementBytes ?? bytes);
      for (const gradient of gradients.slice(-1)) release(gradient);
      // A further micro-batch's gradients are added to the first one's; offloaded ones are in the machine's memory.
      if (!onHost)
        for (const { shard, shardElements } of parameters)
          shard.gradient ??= tape.part(reduced, [shardElements]);
      release(reduced);
    });
  }

  /** What the reduction writes, and its copy in the shards' type where that is another. */
  private makeReduced(count: number, bytes: number, shardBytes: number): Tensor {
    const { tape } = this.communication;
    return tape.onStream(reduceStream, () => {
      const reduced = tape.createOwned([count], bytes, 'gradients');
      if (shardBytes === bytes) return reduced;
      const cast = tape.createOwned([count], shardBytes, 'gradients');
      release(reduced);
      return cast;
    });
  }

  private scratch(bytes: number): void {
    const { tape } = this.communication;
    tape.frame([], () => tape.as('buffers', () => tape.scratch(bytes)));
  }

  private shardBytes(): number[] {
    return this.parameters.map(({ shardElements, whole }) => shardElements * whole.elementBytes);
  }

  private wholeBytes(): number {
    return this.shardBytes().reduce((sum, bytes) => sum + bytes, 0) * this.communication.world;
  }
}
