import { MiB } from '../../units';

/** What one card was at one moment. */
export interface CardSample {
  readonly gpuIndex: number;
  readonly usedBytes: number | null;
  readonly utilizationPercent: number | null;
  /** The memory of each job on the card, the number standing for the job (see JobNumbers); no job twice. */
  readonly jobs: readonly { readonly job: number; readonly usedBytes: number }[];
  /** Whether readings of this card had stopped before this one (see gap.ts). */
  readonly afterGap: boolean;
}

/** One interval as it was: means over its samples, and the extremes of memory. */
export interface Interval {
  readonly samples: number;
  /** Whether readings had stopped before its first sample. */
  readonly afterGap: boolean;
  readonly usedMeanBytes: number | null;
  readonly usedMinBytes: number | null;
  readonly usedMaxBytes: number | null;
  readonly utilizationPercent: number | null;
  readonly jobs: readonly { readonly job: number; readonly usedBytes: number }[];
}

/** The largest jobs of an interval that are told apart on one card; smaller ones show as not attributed. */
const lanesPerInterval = 8;

/**
 * The newest `length` intervals of `seconds` each of one card, in typed arrays that never grow. An interval lives at
 * its number modulo the length; its stamp says which one that is, so a gap or a clock that was set leaves no ghosts.
 *
 * Memory is kept in MiB as 32-bit floats: exact for what nvidia-smi prints (whole MiB up to 16 TiB).
 */
export class IntervalRing {
  private readonly stamps: Uint32Array;
  private readonly samples: Uint16Array;
  private readonly afterGap: Uint8Array;
  private readonly usedSamples: Uint16Array;
  private readonly utilizationSamples: Uint16Array;
  private readonly usedMean: Float32Array;
  private readonly usedMin: Float32Array;
  private readonly usedMax: Float32Array;
  private readonly utilizationMean: Float32Array;
  /** Job numbers, 0 for a free lane, and each job's memory summed over the interval's samples. */
  private readonly laneJobs: Uint32Array;
  private readonly laneSums: Float32Array;

  constructor(
    readonly seconds: number,
    readonly length: number,
  ) {
    this.stamps = new Uint32Array(length);
    this.samples = new Uint16Array(length);
    this.afterGap = new Uint8Array(length);
    this.usedSamples = new Uint16Array(length);
    this.utilizationSamples = new Uint16Array(length);
    this.usedMean = new Float32Array(length);
    this.usedMin = new Float32Array(length);
    this.usedMax = new Float32Array(length);
    this.utilizationMean = new Float32Array(length);
    this.laneJobs = new Uint32Array(length * lanesPerInterval);
    this.laneSums = new Float32Array(length * lanesPerInterval);
  }

  /** The bytes that the arrays take, whatever is in them. */
  get byteLength(): number {
    return (
      this.stamps.byteLength +
      this.samples.byteLength * 3 +
      this.afterGap.byteLength +
      this.usedMean.byteLength * 4 +
      this.laneJobs.byteLength +
      this.laneSums.byteLength
    );
  }

  /** The number of the interval that `time` (seconds since the epoch) lies in. */
  intervalOf(time: number): number {
    return Math.floor(time / this.seconds);
  }

  add(time: number, sample: CardSample): void {
    const interval = this.intervalOf(time);
    const place = interval % this.length;
    if (this.stamps[place] !== interval) this.clear(place, interval);
    const samples = (this.samples[place] ?? 0) + 1;
    if (samples > 0xffff) return;
    this.samples[place] = samples;
    if (samples === 1) this.afterGap[place] = sample.afterGap ? 1 : 0;
    if (sample.usedBytes !== null) this.addUsed(place, sample.usedBytes / MiB);
    if (sample.utilizationPercent !== null) this.addUtilization(place, sample.utilizationPercent);
    for (const { job, usedBytes } of sample.jobs) this.addJob(place, job, usedBytes / MiB);
  }

  /** The interval of that number, or null where nothing was read in it or where it is no longer kept. */
  read(interval: number): Interval | null {
    const place = interval % this.length;
    const samples = this.samples[place] ?? 0;
    if (interval < 0 || this.stamps[place] !== interval || samples === 0) return null;
    const hasUsed = (this.usedSamples[place] ?? 0) > 0;
    const hasUtilization = (this.utilizationSamples[place] ?? 0) > 0;
    const jobs: { job: number; usedBytes: number }[] = [];
    for (let lane = place * lanesPerInterval; lane < (place + 1) * lanesPerInterval; lane++) {
      const job = this.laneJobs[lane] ?? 0;
      if (job !== 0) jobs.push({ job, usedBytes: ((this.laneSums[lane] ?? 0) / samples) * MiB });
    }
    return {
      samples,
      afterGap: this.afterGap[place] === 1,
      usedMeanBytes: hasUsed ? (this.usedMean[place] ?? 0) * MiB : null,
      usedMinBytes: hasUsed ? (this.usedMin[place] ?? 0) * MiB : null,
      usedMaxBytes: hasUsed ? (this.usedMax[place] ?? 0) * MiB : null,
      utilizationPercent: hasUtilization ? (this.utilizationMean[place] ?? 0) : null,
      jobs,
    };
  }

  /** Every job number that is still in one of the intervals. */
  collectJobs(into: Set<number>): void {
    for (const job of this.laneJobs) if (job !== 0) into.add(job);
  }

  private clear(place: number, interval: number): void {
    this.stamps[place] = interval;
    this.samples[place] = 0;
    this.usedSamples[place] = 0;
    this.utilizationSamples[place] = 0;
    const lane = place * lanesPerInterval;
    this.laneJobs.fill(0, lane, lane + lanesPerInterval);
    this.laneSums.fill(0, lane, lane + lanesPerInterval);
  }

  private addUsed(place: number, used: number): void {
    const count = (this.usedSamples[place] ?? 0) + 1;
    this.usedSamples[place] = count;
    if (count === 1) {
      this.usedMean[place] = used;
      this.usedMin[place] = used;
      this.usedMax[place] = used;
      return;
    }
    const mean = this.usedMean[place] ?? 0;
    this.usedMean[place] = mean + (used - mean) / count;
    this.usedMin[place] = Math.min(this.usedMin[place] ?? used, used);
    this.usedMax[place] = Math.max(this.usedMax[place] ?? used, used);
  }

  private addUtilization(place: number, percent: number): void {
    const count = (this.utilizationSamples[place] ?? 0) + 1;
    this.utilizationSamples[place] = count;
    const mean = count === 1 ? 0 : (this.utilizationMean[place] ?? 0);
    this.utilizationMean[place] = mean + (percent - mean) / count;
  }

  /** A job without a lane takes the smallest job's, where it is larger. */
  private addJob(place: number, job: number, used: number): void {
    const first = place * lanesPerInterval;
    let target = -1;
    let smallest = first;
    for (let lane = first; lane < first + lanesPerInterval; lane++) {
      const holder = this.laneJobs[lane] ?? 0;
      if (holder === job) {
        this.laneSums[lane] = (this.laneSums[lane] ?? 0) + used;
        return;
      }
      if (holder === 0 && target < 0) target = lane;
      if ((this.laneSums[lane] ?? 0) < (this.laneSums[smallest] ?? 0)) smallest = lane;
    }
    if (target < 0 && used <= (this.laneSums[smallest] ?? 0)) return;
    const lane = target < 0 ? smallest : target;
    this.laneJobs[lane] = job;
    this.laneSums[lane] = used;
  }
}
