import type { Case } from './case';

/** Failures that are kept one by one; a log with more of them has told its story. */
const mostCases = 400;

export interface CountedCase {
  readonly it: Case;
  readonly occurrences: number;
}

/** Collects the cases of a log, each once: a message that is printed again is counted, not repeated. */
export class CaseBook {
  private readonly byContent = new Map<string, { it: Case; occurrences: number }>();

  add(it: Case | null): void {
    if (it === null) return;
    const content = contentOf(it);
    const known = this.byContent.get(content);
    if (known !== undefined) known.occurrences += printedTimes(it);
    else if (this.byContent.size < mostCases)
      this.byContent.set(content, { it, occurrences: printedTimes(it) });
  }

  isEmpty(): boolean {
    return this.byContent.size === 0;
  }

  /** In the order of their lines. */
  cases(): CountedCase[] {
    return [...this.byContent.values()].sort((a, b) => a.it.line - b.it.line);
  }
}

/** Messages of one rank with the same numbers are one failure; without numbers, those of one story are. */
function contentOf(it: Case): string {
  const sequence = it.details['sequenceNumber'] ?? it.details['killedPid'] ?? '';
  const named = it.story === 'driver' || it.story === 'not-memory' ? it.format : '';
  return JSON.stringify([it.story, named, it.rank, sequence, it.facts]);
}

/** Ray prints one of many equal lines and how many there were. */
function printedTimes(it: Case): number {
  const repeated = /\[repeated (\d{1,6})x across/.exec(it.excerpt);
  return repeated === null ? 1 : Number(repeated[1]);
}
