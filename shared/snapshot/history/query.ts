import type { CardHistory, JobMemorySeries } from './history';
import type { IntervalRing } from './intervalRing';
import type { CardRings } from './cardRings';
import { isGap } from './gap';
import type { JobNumbers } from './jobNumbers';

/** A span of the past in seconds since the epoch, and the width it is drawn at, in CSS pixels. */
export interface TimeRange {
  readonly fromTime: number;
  readonly toTime: number;
  readonly pixelWidth: number;
}

const pointsPerPixel = 2;

/** The finest ring that still reaches back to where the range begins, else the coarsest. */
function ringFor(rings: CardRings, range: TimeRange): IntervalRing | null {
  const reach = Math.max(rings.newest?.time ?? 0, range.toTime) - range.fromTime;
  return rings.rings.find((ring) => ring.seconds * ring.length >= reach) ?? rings.rings.at(-1) ?? null;
}

/** Intervals joined to one point, with what was in them. Means weigh by samples. */
class Point {
  /** Whether readings had stopped before the first of its intervals in which there is one. */
  afterGap = false;
  private samples = 0;
  private usedSum = 0;
  private usedSamples = 0;
  private utilizationSum = 0;
  private utilizationSamples = 0;
  usedMin: number | null = null;
  usedMax: number | null = null;
  private readonly jobSums = new Map<number, number>();

  add(ring: IntervalRing, interval: number): void {
    const read = ring.read(interval);
    if (read === null) return;
    if (this.isEmpty) this.afterGap = read.afterGap;
    const { samples, usedMeanBytes, usedMinBytes, usedMaxBytes, utilizationPercent } = read;
    this.samples += samples;
    if (usedMeanBytes !== null) {
      this.usedSum += usedMeanBytes * samples;
      this.usedSamples += samples;
    }
    if (usedMinBytes !== null) this.usedMin = Math.min(this.usedMin ?? usedMinBytes, usedMinBytes);
    if (usedMaxBytes !== null) this.usedMax = Math.max(this.usedMax ?? usedMaxBytes, usedMaxBytes);
    if (utilizationPercent !== null) {
      this.utilizationSum += utilizationPercent * samples;
      this.utilizationSamples += samples;
    }
    for (const { job, usedBytes } of read.jobs)
      this.jobSums.set(job, (this.jobSums.get(job) ?? 0) + usedBytes * samples);
  }

  get isEmpty(): boolean {
    return this.samples === 0;
  }

  get usedMean(): number | null {
    return this.usedSamples === 0 ? null : Math.round(this.usedSum / this.usedSamples);
  }

  get utilization(): number | null {
    return this.utilizationSamples === 0 ? null : this.utilizationSum / this.utilizationSamples;
  }

  jobs(): [number, number][] {
    return [...this.jobSums].map(([job, sum]) => [job, Math.round(sum / this.samples)]);
  }
}

/**
 * The points of a ring in a range: at most two a pixel, only where something was read. A gap is one empty point, so that a
 * chart breaks its line there; one that is shorter than a point is not seen.
 */
function points(
  { newest: newestReading }: CardRings,
  ring: IntervalRing,
  range: TimeRange,
): { times: number[]; points: Point[] } {
  const last = ring.intervalOf(range.toTime);
  const oldest = Math.max(ring.intervalOf(range.fromTime), last - ring.length + 1, 0);
  const wanted = Math.max(1, Math.floor(range.pixelWidth) * pointsPerPixel);
  const joined = Math.max(1, Math.ceil((last - oldest + 1) / wanted));
  const width = joined * ring.seconds;
  const times: number[] = [];
  const found: Point[] = [];
  const push = (time: number, point: Point) => {
    const before = times.at(-1);
    if (before !== undefined && point.afterGap && time - before > width) {
      times.push(before + width);
      found.push(new Point());
    }
    times.push(time);
    found.push(point);
  };
  // Points begin at multiples of their width, so that a chart that moves on does not regroup the past.
  for (let begin = oldest - (oldest % joined); begin <= last; begin += joined) {
    const point = new Point();
    for (let interval = Math.max(begin, oldest); interval < begin + joined && interval <= last; interval++)
      point.add(ring, interval);
    if (!point.isEmpty) push(begin * ring.seconds, point);
  }
  const isSilent = newestReading !== null && isGap(newestReading, { ...newestReading, time: range.toTime });
  const newest = times.at(-1);
  if (isSilent && newest !== undefined && range.toTime - newest > 2 * width) {
    times.push(newest + width, last * ring.seconds);
    found.push(new Point(), new Point());
  }
  return { times, points: found };
}

function jobSeries(found: readonly Point[], numbers: JobNumbers): JobMemorySeries[] {
  const series = new Map<number, (number | null)[]>();
  found.forEach((point, place) => {
    for (const [job, usedBytes] of point.jobs()) {
      const values = series.get(job) ?? new Array<number | null>(found.length).fill(null);
      values[place] = usedBytes;
      series.set(job, values);
    }
  });
  return [...series].flatMap(([number, usedBytes]) => {
    const job = numbers.jobOf(number);
    return job === null ? [] : [{ jobId: job.jobId, title: job.title, usedBytes }];
  });
}

/** One card's past over a range. Empty arrays where nothing is known of it. */
export function readCard(
  gpuIndex: number,
  rings: CardRings,
  range: TimeRange,
  numbers: JobNumbers,
): CardHistory {
  const ring = ringFor(rings, range);
  const { times, points: found } = ring === null ? { times: [], points: [] } : points(rings, ring, range);
  return {
    gpuIndex,
    times,
    usedBytes: found.map((point) => point.usedMean),
    usedMinBytes: found.map((point) => point.usedMin),
    usedMaxBytes: found.map((point) => point.usedMax),
    utilizationPercent: found.map((point) => point.utilization),
    jobs: jobSeries(found, numbers),
  };
}
