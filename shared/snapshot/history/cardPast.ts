/** The past of all cards in bounded memory: about 1.2 MB a card, whatever happens in seven days. */
import type { History, HistoryMark, HistoryRequest, HistorySpan } from './history';
import type { WorkstationState } from '../types';
import type { Job } from '../../jobs/types';
import { CardRings, resolutions } from './cardRings';
import type { ReadingTime } from './gap';
import type { CardSample } from './intervalRing';
import { JobNumbers } from './jobNumbers';
import { readCard, type TimeRange } from './query';

export const spanSeconds: Readonly<Record<HistorySpan, number>> = {
  fiveMinutes: 300,
  hour: 3_600,
  day: 86_400,
};

const keptSeconds = Math.max(...resolutions.map(({ seconds, length }) => seconds * length));
/** More cards than any machine has; an index beyond is damage and is not kept. */
const maxCards = 64;
/** The newest marks are kept: at a job every ten seconds, half a day. */
const maxMarks = 4_096;

export class CardPast {
  private readonly cards = new Map<number, CardRings>();
  private readonly numbers = new JobNumbers();
  private marks: HistoryMark[] = [];
  private newest: ReadingTime | null = null;

  /**
   * Takes the cards and their jobs of one Snapshot, at the moment when the cards were read. A reading counts once:
   * while nvidia-smi is silent, Snapshots repeat it, and the past has a gap. Lost cards leave a gap as well.
   */
  add(snapshot: WorkstationState): void {
    const { cardsReadAt, intervalSeconds } = snapshot;
    if (cardsReadAt === null || cardsReadAt === this.newest?.time) return;
    const reading: ReadingTime = { time: cardsReadAt, intervalSeconds };
    this.newest = reading;
    const jobs = this.jobsByCard(snapshot.jobs);
    for (const card of snapshot.cards) {
      if (card.lost) continue;
      const rings = this.ringsOf(card.index);
      rings?.add(reading, {
        gpuIndex: card.index,
        usedBytes: card.memoryUsedBytes,
        utilizationPercent: card.utilizationPercent,
        jobs: jobs.get(card.index) ?? [],
      });
    }
    if (this.numbers.wantsSweep) this.sweep();
  }

  /** Adds a mark; the oldest beyond 4,096, or older than seven days, are dropped. */
  mark(mark: HistoryMark): void {
    this.marks.push(mark);
    if (this.marks.length > maxMarks + 256)
      this.marks = this.marks.filter(({ time }) => time >= mark.time - keptSeconds).slice(-maxMarks);
  }

  /** The past of every card over the span that ends at `now` (seconds since the epoch). */
  read(request: HistoryRequest, now: number): History {
    const fromTime = now - spanSeconds[request.span];
    return {
      span: request.span,
      ...this.readRange({ fromTime, toTime: now, pixelWidth: request.pixelWidth }),
    };
  }

  /** The same over any range of the last seven days. */
  readRange(range: TimeRange): Omit<History, 'span'> {
    return {
      fromTime: range.fromTime,
      toTime: range.toTime,
      intervalSeconds: this.newest?.intervalSeconds ?? null,
      cards: [...this.cards]
        .sort(([left], [right]) => left - right)
        .map(([index, rings]) => readCard(index, rings, range, this.numbers)),
      marks: this.marks.filter(({ time }) => time >= range.fromTime && time <= range.toTime),
    };
  }

  /** Bytes of the arrays, and how many jobs and marks stand beside them. */
  get size(): { readonly arrayBytes: number; readonly jobs: number; readonly marks: number } {
    const arrayBytes = [...this.cards.values()].reduce((sum, rings) => sum + rings.byteLength, 0);
    return { arrayBytes, jobs: this.numbers.size, marks: this.marks.length };
  }

  /** The memory of each job on each card it holds memory on, in one pass over all members. */
  private jobsByCard(jobs: readonly Job[]): ReadonlyMap<number, CardSample['jobs']> {
    const byCard = new Map<number, { job: number; usedBytes: number }[]>();
    for (const job of jobs) {
      const held = new Map<number, number>();
      for (const member of job.members)
        for (const { gpuIndex, usedBytes } of member.cards)
          held.set(gpuIndex, (held.get(gpuIndex) ?? 0) + (usedBytes ?? 0));
      for (const [gpuIndex, usedBytes] of held) {
        if (usedBytes === 0) continue;
        const onCard = byCard.get(gpuIndex) ?? [];
        onCard.push({ job: this.numbers.numberOf(job.id, job.title), usedBytes });
        byCard.set(gpuIndex, onCard);
      }
    }
    return byCard;
  }

  private ringsOf(index: number): CardRings | null {
    const known = this.cards.get(index);
    if (known !== undefined) return known;
    if (this.cards.size >= maxCards) return null;
    const rings = new CardRings();
    this.cards.set(index, rings);
    return rings;
  }

  private sweep(): void {
    const living = new Set<number>();
    for (const rings of this.cards.values()) rings.collectJobs(living);
    this.numbers.sweep(living);
  }
}
