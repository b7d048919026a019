/** DistributedDataParallel: a whole model in each process, gradients exchanged through buckets. */
import type { BuiltModel } from '../tape/module';
import { hold, release, type Tape } from '../tape/tape';
import { elements, INT32, INT64, type Parameter, type Tensor } from '../tape/tensor';
import type { Distribution } from './distribution';
import { MiB } from '../../units';

/** `broadcast_bucket_size`, and `bucket_cap_mb` with the smaller first bucket. */
const broadcastBytes = 250 * MiB;
const firstBucketBytes = MiB;
const bucketBytes = 25 * MiB;
/** Coalesced broadcasts that may be under way at once. */
const broadcastsInFlight = 2;

/** What of DDP's arguments decides memory. */
export interface DdpSettings {
  readonly world: number;
  /** `gradient_as_bucket_view`: gradients live in the buckets once they were exchanged. */
  readonly bucketViews: boolean;
  /** Gradients are exchanged in the last micro-batch of a step only (`no_sync` before it). */
  readonly exchangesLast: boolean;
}

/**
 * Plays what `DistributedDataParallel` allocates: a broadcast of the model at construction, one bucket for all gradients until
 * the first backward has shown their order, then buckets of 25 MiB in that order; buffers are broadcast before each forward.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/torch/nn/parallel/distributed.py
 * https://github.com/pytorch/pytorch/blob/v2.11.0/torch/csrc/distributed/c10d/reducer.cpp
 */
export class DistributedDataParallel implements Distribution {
  readonly optimizerOnCard = true;
  private buckets: Bucket[] = [];
  /** Parameters in the order in which their gradients came, until the buckets are made anew. */
  private readyOrder: Parameter[] | null = [];
  private exchanging = true;
  /** `require_forward_param_sync`: a forward under `no_sync` spares the next one the broadcast. */
  private broadcastsBuffers = true;

  constructor(
    private readonly tape: Tape,
    private readonly model: BuiltModel,
    readonly trained: readonly Parameter[],
    private readonly settings: DdpSettings,
  ) {
    this.compareShapes();
    broadcastCoalesced(tape, [...allParameters(model, trained), ...model.buffers]);
    this.makeBuckets([trained]);
    for (const parameter of trained) parameter.afterGradient = () => this.gradientReady(parameter);
  }

  forward(body: () => Tensor, isLast: boolean): Tensor {
    this.rebuildBuckets();
    if (this.broadcastsBuffers) broadcastCoalesced(this.tape, this.model.buffers);
    this.exchanging = isLast || !this.settings.exchangesLast;
    this.broadcastsBuffers = this.exchanging;
    return body();
  }

  finishBackward(): void {
    // Every bucket was exchanged when its last gradient came.
  }

  /** The processes compare the number of parameters, then their sizes and strides. */
  private compareShapes(): void {
    const { tape, settings, trained } = this;
    tape.frame([], () =>
      tape.as('buffers', () => {
        hold(tape.create([1], INT64));
        for (let rank = 0; rank < settings.world; rank++) hold(tape.create([1], INT64));
        tape.scratch(settings.world * INT64);
        const numbers = trained.reduce((sum, { shape }) => sum + 2 * shape.length, 0);
        tape.scratch(numbers * INT64);
      }),
    );
  }

  private makeBuckets(groups: readonly (readonly Parameter[])[]): void {
    const { tape, settings } = this;
    const kind = settings.bucketViews ? 'gradients' : 'buffers';
    this.buckets = groups.map((parameters) => {
      const count = parameters.reduce((sum, { shape }) => sum + elements(shape), 0);
      return { parameters, memory: tape.createOwned([count], parameters[0]?.elementBytes ?? 1, kind) };
    });
  }

  /**
   * Once, in the forward after the first exchange, under `no_sync` as well: process 0 tells the order of gradients, and buckets follow it.
   * Gradients that are views of the old buckets keep them alive until each has been copied over.
   */
  private rebuildBuckets(): void {
    const { readyOrder, tape } = this;
    if (readyOrder === null || readyOrder.length === 0) return;
    this.readyOrder = null;
    const groups = bucketsOf(readyOrder, [firstBucketBytes, bucketBytes]);
    tape.frame([], () =>
      tape.as('buffers', () => {
        hold(tape.create([readyOrder.length + 1], INT32));
        tape.scratch(groups.length * INT32);
      }),
    );
    for (const { memory } of this.buckets) release(memory);
    this.makeBuckets(groups);
    if (!this.settings.bucketViews) return;
    for (const bucket of this.buckets)
      for (const parameter of bucket.parameters)
        if (parameter.gradient !== null) this.moveInto(bucket, parameter);
  }

  private gradientReady(parameter: Parameter): void {
    if (!this.exchanging) return;
    this.readyOrder?.push(parameter);
    if (!this.settings.bucketViews || parameter.gradient === null) return;
    const bucket = this.buckets.find(({ parameters }) => parameters.includes(parameter));
    if (bucket === undefined) throw new Error(`No bucket holds the gradient of ${parameter.name}.`);
    this.moveInto(bucket, parameter);
  }

  /** Copies a parameter's gradient into its place in a bucket and makes it a view of that. */
  private moveInto({ memory }: Bucket, parameter: Parameter): void {
    if (parameter.gradient !== null) release(parameter.gradient);
    parameter.gradient = this.tape.part(memory, parameter.shape);
  }
}

interface Bucket {
  readonly parameters: readonly Parameter[];
  readonly memory: Tensor;
}

/** All parameters of the model, adapters included, each once. */
function allParameters(model: BuiltModel, trained: readonly Parameter[]): readonly Parameter[] {
  return [...new Set([...model.parameters, ...trained])];
}

/** Groups in order: a group is full when it has reached its limit; the last limit holds for all further ones. */
export function bucketsOf<T extends Tensor>(tensors: readonly T[], limits: readonly number[]): T[][] {
  const groups: T[][] = [];
  let current: T[] = [];
  let bytes = 0;
  for (const tensor of tensors) {
    current.push(tensor);
    bytes += tensor.bytes;
    if (bytes < (limits[Math.min(groups.length, limits.length - 1)] ?? Infinity)) continue;
    groups.push(current);
    current = [];
    bytes = 0;
  }
  return current.length > 0 ? [...groups, current] : groups;
}

/** `_broadcast_coalesced`: tensors of one type are joined up to 250 MiB, sent, and copied back. One alone needs no copy. */
function broadcastCoalesced(tape: Tape, tensors: readonly Tensor[]): void {
  const types = [...new Set(tensors.map(({ elementBytes }) => elementBytes))];
  const groups = types
    .flatMap((bytes) =>
      bucketsOf(
        tensors.filter(({ elementBytes }) => elementBytes === bytes),
        [broadcastBytes],
      ),
    )
    .sort((a, b) => firstIndex(tensors, a) - firstIndex(tensors, b));
  tape.frame([], () =>
    tape.as('buffers', () => {
      const underWay: (Tensor | null)[] = [];
      for (const group of groups) {
        if (underWay.length >= broadcastsInFlight) finish(underWay.shift());
        const bytes = group.reduce((sum, tensor) => sum + tensor.bytes, 0);
        underWay.push(group.length > 1 ? hold(tape.create([bytes], 1)) : null);
      }
      for (const flat of underWay) finish(flat);
    }),
  );
}

function finish(flat: Tensor | null | undefined): void {
  if (flat !== null && flat !== undefined) release(flat);
}

const firstIndex = (tensors: readonly Tensor[], group: readonly Tensor[]): number =>
  group[0] === undefined ? 0 : tensors.indexOf(group[0]);
