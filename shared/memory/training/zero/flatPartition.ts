/** DeepSpeed's ZeRO stages 1 and 2: a whole model in each process, optimizer state in parts. */
import { release, type Tape } from '../../tape/tape';
import { elements, FP32, type Parameter, type Tensor } from '../../tape/tensor';
import type { Distribution } from '../distribution';
import { normBytes, type ZeroSettings } from './config';
import {
  dealtOut,
  elementsIn,
  type FlatParameter,
  partElements,
  placeInParts,
  stretchesOf,
} from './flatParts';
import { GradientBucket } from './gradientBucket';

const reduceStream = 1;

/**
 * All trained weights in one flat buffer, and an fp32 copy of this process' part of it that the optimizer updates. Each gradient is
 * copied into a bucket of `reduce_bucket_size`, which exists from the first gradient of a backward until its end; a full bucket is
 * joined once more to be reduced. What belongs to this process' part is copied into a buffer of its own (with offload, sent to the
 * machine); stage 2 lets go of the rest at once, stage 1 at the end. The part is joined and upcast in one piece for the optimizer.
 * Before the last micro-batch stage 1 reduces nothing, and its buckets stay.
 * https://github.com/deepspeedai/DeepSpeed/blob/v0.19.8/deepspeed/runtime/zero/stage_1_and_2.py
 */
export class ZeroTraining implements Distribution {
  readonly trained: readonly Parameter[];
  readonly optimizerOnCard: boolean;
  private readonly part: number;
  private readonly bytes: number;
  private readonly placed: readonly FlatParameter[];
  /** Elements of all parameters that this process' part touches, each counted whole. */
  private readonly ownTotal: number;
  /** Two with `overlap_comm`; empty between backwards. */
  private buffers: Tensor[] = [];
  private current = 0;
  private readonly bucket = new GradientBucket<FlatParameter>();
  /** The gradients of this micro-batch that belong to this process' part, and the sum of the micro-batches before. */
  private partGradients: Tensor | null = null;
  private accumulated: Tensor | null = null;
  private norms: Tensor[] = [];
  private isLast = true;

  constructor(
    private readonly tape: Tape,
    parameters: readonly Parameter[],
    private readonly stage: 1 | 2,
    private readonly settings: ZeroSettings,
  ) {
    const { config, optimizerOnHost, rank, world } = settings;
    this.bytes = parameters[0]?.elementBytes ?? FP32;
    this.optimizerOnCard = !optimizerOnHost;
    const ordered = config.roundRobinGradients ? dealtOut(parameters, world) : parameters;
    this.part = partElements(ordered, world);
    this.placed = placeInParts(ordered, this.part);
    this.ownTotal = this.placed
      .filter((entry) => elementsIn(entry, rank) !== null)
      .reduce((sum, { parameter }) => sum + elements(parameter.shape), 0);
    this.trained = [this.build(parameters)];
    for (const entry of this.placed) entry.parameter.afterGradient = () => this.gradientReady(entry);
  }

  /** Weights are joined while they are still there; the master copy is made from a 16-bit copy of the part. */
  private build(parameters: readonly Parameter[]): Parameter {
    const { bytes, optimizerOnCard, part, tape } = this;
    tape.createOwned([part * this.settings.world], bytes, 'parameters');
    for (const parameter of parameters) tape.empty(parameter);
    const copied = tape.createOwned([part], bytes, 'parameters');
    const make = optimizerOnCard && bytes !== FP32 ? 'createParameter' : 'createEmptyParameter';
    const master = tape[make]('master weights', [part], FP32, true);
    // In fp32 the copy is the master.
    if (optimizerOnCard && bytes === FP32) tape.refill(master, part * FP32, 'parameters');
    release(copied);
    if (optimizerOnCard) this.scratch(part, FP32);
    else {
      const largest = Math.max(0, ...parameters.map(({ shape }) => elements(shape)));
      tape.createOwned([largest], bytes, 'buffers');
    }
    return master;
  }

  forward(body: () => Tensor, isLast: boolean): Tensor {
    this.isLast = isLast;
    return body();
  }

  finishBackward(): void {
    // Stage 1 communicates with the last micro-batch only; until then gradients stay whole and the buckets stay, too.
    if (this.stage === 1 && !this.isLast) return;
    this.reduce();
    if (this.accumulated === null) this.accumulated = this.partGradients;
    else if (this.partGradients !== null) release(this.partGradients);
    this.partGradients = null;
    for (const buffer of this.buffers.splice(0)) release(buffer);
    this.current = 0;
    for (const { parameter } of this.placed) this.drop(parameter);
  }

  update(step: () => void): void {
    const { bytes, part, tape } = this;
    const [master] = this.trained;
    if (master !== undefined && this.optimizerOnCard) {
      for (const entry of this.placed) this.keepNorm(elementsIn(entry, this.settings.rank));
      const joined = tape.createOwned([part], bytes, 'gradients');
      // The optimizer's gradient is fp32; in fp32 it is what was joined.
      master.gradient = bytes === FP32 ? tape.alias(joined) : tape.createOwned([part], FP32, 'gradients');
      release(joined);
      if (this.accumulated !== null) release(this.accumulated);
      this.accumulated = null;
      step();
      if (master.gradient !== null) release(master.gradient);
      master.gradient = null;
    }
    for (const norm of this.norms.splice(0)) release(norm);
  }

  private gradientReady(entry: FlatParameter): void {
    const { config } = this.settings;
    const { parameter } = entry;
    this.makeBuffers();
    if (this.stage === 1 && !this.isLast) return;
    const count = elements(parameter.shape);
    if (this.bucket.elements + count > config.reduceBucketElements) {
      this.reduce();
      if (config.overlapsCommunication) this.current = 1 - this.current;
    }
    const buffer = this.buffers[this.current];
    if (count > config.reduceBucketElements) {
      // Too large for a bucket: it is reduced where it is, with offload in a copy.
      if (!this.optimizerOnCard) this.replaceGradient(parameter, this.copyOf(parameter));
    } else if (buffer !== undefined) this.replaceGradient(parameter, this.tape.part(buffer, parameter.shape));
    this.bucket.add(entry, count);
  }

  private makeBuffers(): void {
    if (this.buffers.length > 0) return;
    const { overlapsCommunication, reduceBucketElements } = this.settings.config;
    this.buffers = Array.from({ length: overlapsCommunication ? 2 : 1 }, () =>
      this.tape.createOwned([reduceBucketElements], this.bytes, 'buffers'),
    );
  }

  private reduce(): void {
    this.onReduceStream(() => {
      this.joinSlices();
      for (const entry of this.bucket.take()) {
        const count = elementsIn(entry, this.settings.rank);
        if (count === null) {
          if (this.stage === 2) this.drop(entry.parameter);
        } else if (this.optimizerOnCard) this.copyIntoPart(entry.parameter);
        else if (this.isLast) this.sendToHost(entry.parameter, count);
      }
    });
  }

  /**
   * Neighbouring slices for one process are one; several are joined to be reduced together, and a single one is reduced where it is.
   * `allreduce_and_scatter` joins no more than a bucket's size and what comes with the last.
   */
  private joinSlices(): void {
    const limit = this.settings.config.reduceBucketElements;
    let pending: number[] = [];
    const flush = (): void => {
      if (pending.length > 1) this.scratch(totalOf(pending), this.bytes);
      pending = [];
    };
    for (const count of stretchesOf(this.bucket.entries)) {
      pending.push(count);
      if (totalOf(pending) > limit) flush();
    }
    flush();
  }

  private copyIntoPart(parameter: Parameter): void {
    this.partGradients ??= this.tape.createOwned([this.ownTotal], this.bytes, 'gradients');
    this.replaceGradient(parameter, this.tape.part(this.partGradients, parameter.shape));
  }

  /** Its norm is taken, then its part is upcast and sent. */
  private sendToHost(parameter: Parameter, count: number): void {
    this.keepNorm(count);
    if (this.bytes !== FP32) this.scratch(count, FP32);
    this.drop(parameter);
  }

  private keepNorm(count: number | null): void {
    if (count === null) return;
    const { tape } = this;
    this.scratch(count, normBytes);
    this.norms.push(tape.createOwned([1], normBytes, 'workspace'));
  }

  private copyOf(parameter: Parameter): Tensor {
    return this.tape.createOwned(parameter.shape, this.bytes, 'gradients');
  }

  private replaceGradient(parameter: Parameter, gradient: Tensor): void {
    this.drop(parameter);
    parameter.gradient = gradient;
  }

  /** Its values are in a bucket or in this process' part. */
  private drop(parameter: Parameter): void {
    if (parameter.gradient !== null) release(parameter.gradient);
    parameter.gradient = null;
  }

  private scratch(count: number, elementBytes: number): void {
    const { tape } = this;
    if (count > 0) tape.frame([], () => tape.as('buffers', () => tape.scratch(count * elementBytes)));
  }

  private onReduceStream(body: () => void): void {
    if (this.settings.config.overlapsCommunication) this.tape.onStream(reduceStream, body);
    else body();
  }
}

const totalOf = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);
