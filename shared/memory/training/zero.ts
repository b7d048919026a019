/** DeepSpeed's ZeRO, from its documented behaviour; no run was measured. */
import type { BuiltModel } from '../tape/module';
import { release, type Tape } from '../tape/tape';
import { elements, FP32, type Parameter, type Tensor } from '../tape/tensor';
import type { Distribution } from './distribution';
import { FullyShardedTraining } from './sharding/fullyShard';

/** `reduce_bucket_size`, which the generated configuration writes out. */
export const zeroBucketElements = 5e8;
/** `overlap_comm` reduces one buffer while the next is filled. */
const bufferCount = 2;

/** What of DeepSpeed's configuration decides memory. */
export interface ZeroSettings {
  readonly world: number;
  /** Master weights and optimizer state are in the machine's memory (or on a disk). */
  readonly optimizerOnHost: boolean;
}

/**
 * Stages 1 and 2: all trained weights in one flat buffer, an fp32 copy of this process' part of it that the optimizer updates.
 * Stage 1 keeps whole gradients until the end of backward and reduces them in buckets; stage 2 copies each into a bucket as it
 * comes and keeps only its own part.
 * https://github.com/deepspeedai/DeepSpeed/blob/v0.18.2/deepspeed/runtime/zero/stage_1_and_2.py
 */
export class ZeroTraining implements Distribution {
  readonly trained: readonly Parameter[];
  readonly optimizerOnCard: boolean;
  private readonly part: number;
  private readonly bytes: number;
  private buffers: Tensor[] = [];
  private isLast = true;

  constructor(
    private readonly tape: Tape,
    private readonly parameters: readonly Parameter[],
    private readonly stage: 1 | 2,
    settings: ZeroSettings,
  ) {
    const total = parameters.reduce((sum, { shape }) => sum + elements(shape), 0);
    this.part = Math.ceil(total / settings.world);
    this.bytes = parameters[0]?.elementBytes ?? FP32;
    for (const parameter of parameters) tape.empty(parameter);
    tape.createOwned([this.part * settings.world], this.bytes, 'parameters');
    this.optimizerOnCard = !settings.optimizerOnHost;
    const make = settings.optimizerOnHost ? 'createEmptyParameter' : 'createParameter';
    this.trained = [tape[make]('master weights', [this.part], FP32, true)];
    if (stage === 2) for (const parameter of parameters) parameter.afterGradient = () => this.drop(parameter);
  }

  forward(body: () => Tensor, isLast: boolean): Tensor {
    this.isLast = isLast;
    const loss = body();
    if (this.stage === 2) this.buffers = this.makeBuffers();
    return loss;
  }

  finishBackward(): void {
    for (const buffer of this.buffers.splice(0)) release(buffer);
    if (!this.isLast) return;
    const { bytes, part, tape } = this;
    if (this.stage === 1) {
      const total = this.parameters.reduce((sum, { shape }) => sum + elements(shape), 0);
      tape.frame([], () =>
        tape.as('buffers', () => tape.scratch(Math.min(total, zeroBucketElements) * bytes)),
      );
    }
    const own = tape.createOwned([part], bytes, 'gradients');
    for (const parameter of this.parameters) this.drop(parameter);
    const [master] = this.trained;
    if (this.optimizerOnCard && master !== undefined)
      master.gradient = tape.createOwned([part], FP32, 'gradients');
    release(own);
  }

  /** Its values are in a bucket or in this process' part. */
  private drop(parameter: Parameter): void {
    if (parameter.gradient !== null) release(parameter.gradient);
    parameter.gradient = null;
  }

  private makeBuffers(): Tensor[] {
    return Array.from({ length: bufferCount }, () =>
      this.tape.createOwned([zeroBucketElements], this.bytes, 'buffers'),
    );
  }
}

/** And what of it only stage 3 has. */
export interface ZeroThreeSettings extends ZeroSettings {
  /** The 16-bit shards are in the machine's memory too. */
  readonly parametersOnHost: boolean;
}

/**
 * Stage 3: weights in shards that are gathered for each block, an fp32 copy of each shard that the optimizer updates, one buffer for
 * all gradient shards and one in which gradients are reduced.
 * https://github.com/deepspeedai/DeepSpeed/blob/v0.18.2/deepspeed/runtime/zero/stage3.py
 */
export class ZeroThreeTraining implements Distribution {
  readonly trained: readonly Parameter[];
  readonly optimizerOnCard: boolean;
  private readonly sharded: FullyShardedTraining;

  constructor(
    private readonly tape: Tape,
    model: BuiltModel,
    parameters: readonly Parameter[],
    { optimizerOnHost, parametersOnHost, world }: ZeroThreeSettings,
  ) {
    this.optimizerOnCard = !optimizerOnHost;
    this.sharded = new FullyShardedTraining(tape, model, parameters, {
      world,
      cut: 'elements',
      freesAfterForward: true,
      onHost: parametersOnHost,
      mixedPrecision: null,
      reducesLast: false,
    });
    const bytes = parameters[0]?.elementBytes ?? FP32;
    const make = optimizerOnHost ? 'createEmptyParameter' : 'createParameter';
    this.trained = this.sharded.trained.map(({ name, shape }) => tape[make](name, shape, FP32, true));
    const gradients = this.trained.reduce((sum, { shape }) => sum + elements(shape), 0);
    tape.createOwned([zeroBucketElements], bytes, 'buffers');
    if (!optimizerOnHost) tape.createOwned([gradients], bytes, 'gradients');
  }

  forward(body: () => Tensor, isLast: boolean): Tensor {
    return this.sharded.forward(body, isLast);
  }

  finishBackward(): void {
    this.sharded.finishBackward();
    for (const shard of this.sharded.trained) {
      if (shard.gradient !== null) release(shard.gradient);
      shard.gradient = null;
    }
    if (!this.optimizerOnCard) return;
    for (const master of this.trained)
      master.gradient ??= this.tape.createOwned(master.shape, FP32, 'gradients');
  }
}
