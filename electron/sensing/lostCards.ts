/**
 * Cards that have stopped to answer. One of them fails every question that asks for all cards, so the others are
 * asked by their bus ids until the lost ones answer again.
 */
import { cardName, cardProblem, type ProblemCode } from '../../shared/gpu/problems';
import { normalizeBusId } from '../../shared/gpu/smi/card';
import { readFailures } from '../../shared/gpu/smi/failures';
import type { CardReading, Problem } from '../../shared/gpu/types';
import { KiB } from '../../shared/units';
import type { ProgramCall } from '../programs/programCall';
import { runOnce } from '../programs/runOnce';

const unreachableCodes: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'card-lost',
  'card-unreachable',
  'card-power-missing',
]);
const probeEveryMs = 60_000;

export class LostCards {
  /** The last reading of every card that was ever seen, by bus id. */
  private readonly seen = new Map<string, CardReading>();
  /** Cards left out of the questions, by bus id, with what was said of them. */
  private readonly unreachable = new Map<string, Problem>();
  /** Cards that still have a row, which says that they are lost. */
  private reported: readonly CardReading[] = [];
  private probedAt = 0;
  private probing = false;

  /** `attachedBuses` are the cards that the driver itself lists; it helps where one is lost before the first reading. */
  constructor(private readonly attachedBuses: readonly string[]) {}

  remember(cards: readonly CardReading[]): void {
    for (const card of cards) if (card.pciBusId !== null) this.seen.set(card.pciBusId, card);
  }

  takeReported(cards: readonly CardReading[]): void {
    this.reported = cards;
  }

  /**
   * Leaves out the cards that the problems name, where other cards are known to be asked instead. True where that
   * changes the question.
   */
  takeUnreachable(problems: readonly Problem[]): boolean {
    let changed = false;
    for (const found of problems) {
      const bus = normalizeBusId(found.subject ?? '');
      if (bus === null || !unreachableCodes.has(found.code) || this.unreachable.has(bus)) continue;
      if (!this.knownBuses().some((other) => other !== bus && !this.unreachable.has(other))) continue;
      this.unreachable.set(bus, found);
      this.probedAt = Date.now();
      changed = true;
    }
    return changed;
  }

  has(card: CardReading): boolean {
    return card.pciBusId !== null && this.unreachable.has(card.pciBusId);
  }

  leftOut(): readonly string[] {
    return [...this.unreachable.keys()];
  }

  /** The bus ids to ask, or null for all cards. */
  askedOnly(): readonly string[] | null {
    if (this.unreachable.size === 0) return null;
    return this.knownBuses().filter((bus) => !this.unreachable.has(bus));
  }

  private knownBuses(): readonly string[] {
    return [...new Set([...this.attachedBuses, ...this.seen.keys()])];
  }

  /** The cards that answer with the last readings of those that do not, in the order of their indices. */
  withLost(cards: readonly CardReading[]): readonly CardReading[] {
    const lost = this.lostReadings();
    return lost.length === 0 ? cards : [...cards, ...lost].sort((a, b) => (a.index ?? 0) - (b.index ?? 0));
  }

  indices(): ReadonlySet<number> {
    return new Set(this.lostReadings().flatMap(({ index }) => index ?? []));
  }

  problems(): readonly Problem[] {
    const left = [...this.unreachable].map(([bus, found]) => {
      const card = this.seen.get(bus);
      if (card === undefined || card.index === null) return found;
      const name = cardName(card);
      return found.code === 'card-power-missing'
        ? cardProblem('card-power-missing', name)
        : cardProblem('card-lost', name);
    });
    return [...left, ...this.reported.map((card) => cardProblem('card-lost', cardName(card)))];
  }

  isProbeDue(now: number): boolean {
    return this.unreachable.size > 0 && now - this.probedAt > probeEveryMs;
  }

  /** Asks for the list of all cards. True where it can be had again, and the lost cards count as back. */
  async probe(call: ProgramCall, now: number): Promise<boolean> {
    if (this.probing) return false;
    this.probing = true;
    this.probedAt = now;
    const result = await runOnce(call, ['-L'], { timeoutMs: 20_000, maxBytes: 256 * KiB });
    // A probe that hangs must be gone before the next one may start.
    if (result.kind === 'timeout' || result.kind === 'flood') await result.gone;
    this.probing = false;
    if (result.kind !== 'ended' || result.exitCode !== 0 || readFailures(result.text).length > 0)
      return false;
    this.unreachable.clear();
    return true;
  }

  private lostReadings(): readonly CardReading[] {
    const left = [...this.unreachable.keys()].flatMap((bus) => this.seen.get(bus) ?? []);
    const reported = this.reported.map(
      (card) => [...this.seen.values()].find((known) => isSame(known, card)) ?? card,
    );
    return [...left, ...reported];
  }
}

function isSame(known: CardReading, card: CardReading): boolean {
  return card.index !== null ? known.index === card.index : known.pciBusId === card.pciBusId;
}
