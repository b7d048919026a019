import type { Bridge } from '../../shared/contract/bridge';
import type { History, HistorySpan } from '../../shared/snapshot/history/history';
import type { Snapshot } from '../../shared/alerts/snapshot';
import { spanSeconds } from '../../shared/snapshot/history/cardPast';
import { isGap, longestPauseSeconds, type ReadingTime } from '../../shared/snapshot/history/gap';
import type { Message } from '../../shared/i18n/message';
import { extendHistory } from '../charts/liveHistory';
import { ask } from './calls';

interface Span {
  readonly seconds: number;
  /** How often a chart of it is read anew: about once a drawn pixel. */
  readonly refreshSeconds: number;
  /** The distance of the time axis' labels. */
  readonly tickSeconds: number;
}

export const spans: Readonly<Record<HistorySpan, Span>> = {
  fiveMinutes: { seconds: spanSeconds.fiveMinutes, refreshSeconds: Infinity, tickSeconds: 60 },
  hour: { seconds: spanSeconds.hour, refreshSeconds: 5, tickSeconds: 600 },
  day: { seconds: spanSeconds.day, refreshSeconds: 60, tickSeconds: 14_400 },
};

/**
 * The past that the charts show. Five minutes are kept live from the Snapshots that are shown; longer spans come from
 * main, which thins them. Marks are main's alone: when jobs come or go, the past is read again to get them.
 */
export class HistoryStore {
  span = $state<HistorySpan>('fiveMinutes');
  /** Plain arrays, never proxies: chart.js adds hidden properties to what it is given. */
  recent = $state.raw<History | null>(null);
  failure = $state.raw<Message | null>(null);

  readonly #bridge: Bridge;
  #long = $state.raw<History | null>(null);
  #pixelWidth = 600;
  #readAt = 0;
  #last: ReadingTime = { time: 0, intervalSeconds: 0 };
  #jobIds = '';
  #sceneId: string | null | undefined;

  constructor(bridge: Bridge) {
    this.#bridge = bridge;
  }

  /**
   * The history of the chosen span; null while it is read for the first time. While all of the past is younger than
   * five minutes the live history is shown in its place: it is finer, and up to now.
   */
  get shown(): History | null {
    if (this.span === 'fiveMinutes') return this.recent;
    const long = this.#long?.span === this.span ? this.#long : null;
    return this.recent !== null && isYoung(this.recent, long) ? this.recent : long;
  }

  choose(span: HistorySpan): void {
    this.span = span;
    if (span !== 'fiveMinutes') void this.#read(span);
  }

  /** The width of the widest chart, so that main sends no more points than it can draw. */
  setWidth(pixelWidth: number): void {
    this.#pixelWidth = Math.max(1, Math.min(16_384, Math.round(pixelWidth)));
  }

  take(snapshot: Snapshot): void {
    const jobIds = snapshot.jobs.map((job) => job.id).join(' ');
    // Snapshots that were not seen here (paused, hidden, asleep) are read again.
    const missed = snapshot.time < this.#last.time || isGap(this.#last, snapshot);
    const anew = snapshot.source.sceneId !== this.#sceneId;
    const jobsChanged = jobIds !== this.#jobIds;
    this.#last = snapshot;
    this.#jobIds = jobIds;
    this.#sceneId = snapshot.source.sceneId;

    if (anew) this.recent = null;
    if (missed || anew || jobsChanged) void this.#read('fiveMinutes');
    if (this.recent !== null) this.recent = extendHistory(this.recent, snapshot, spans.fiveMinutes.seconds);
    if (this.span === 'fiveMinutes') return;
    if (anew || snapshot.time - this.#readAt >= spans[this.span].refreshSeconds) void this.#read(this.span);
  }

  async #read(span: HistorySpan): Promise<void> {
    if (span !== 'fiveMinutes') this.#readAt = this.#last.time;
    const reply = await ask(this.#bridge, 'history.read', { span, pixelWidth: this.#pixelWidth });
    if (!reply.ok) {
      this.failure = reply.message;
      return;
    }
    this.failure = null;
    if (span === 'fiveMinutes') this.recent = reply.value;
    else this.#long = reply.value;
  }
}

/** Whether nothing has left the live history yet, and the longer one knows of no time before it. */
function isYoung(recent: History, long: History | null): boolean {
  const first = firstTime(recent);
  const pauseSeconds = longestPauseSeconds(recent.intervalSeconds ?? 0);
  if (first === null || recent.toTime - first > spans.fiveMinutes.seconds - pauseSeconds) return false;
  // The longer one counts in minutes, so that its first may be a little older.
  const longFirst = long === null ? null : firstTime(long);
  return longFirst === null || longFirst > first - 60;
}

function firstTime({ cards }: History): number | null {
  const firsts = cards.flatMap(({ times }) => times[0] ?? []);
  return firsts.length === 0 ? null : Math.min(...firsts);
}
