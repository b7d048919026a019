import { isGap, type ReadingTime } from './gap';
import { IntervalRing, type CardSample } from './intervalRing';

/** One second for 15 minutes, ten for 6 hours, a minute for 7 days. */
export const resolutions = [
  { seconds: 1, length: 900 },
  { seconds: 10, length: 2_160 },
  { seconds: 60, length: 10_080 },
] as const;

/** The past of one card at the three resolutions: 1.2 MB, however long it runs. */
export class CardRings {
  readonly rings: readonly IntervalRing[] = resolutions.map(
    ({ seconds, length }) => new IntervalRing(seconds, length),
  );

  /** When the newest sample was taken; null before the first. */
  newest: ReadingTime | null = null;

  add(reading: ReadingTime, sample: Omit<CardSample, 'afterGap'>): void {
    const afterGap = this.newest !== null && isGap(this.newest, reading);
    this.newest = reading;
    for (const ring of this.rings) ring.add(reading.time, { ...sample, afterGap });
  }

  get byteLength(): number {
    return this.rings.reduce((sum, ring) => sum + ring.byteLength, 0);
  }

  collectJobs(into: Set<number>): void {
    for (const ring of this.rings) ring.collectJobs(into);
  }
}
