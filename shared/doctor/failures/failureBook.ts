import { contentOf, type Incident } from './assemble';
import type { ReadFailure } from './readFailure';
import { isKill } from './root';

/** Failures that are kept one by one; a log with more of them has told its story. */
const mostCases = 400;

export interface CountedFailure {
  readonly failure: ReadFailure;
  readonly occurrences: number;
}

/** Collects the cases of a log, each once: a message that is printed again is counted, not repeated. */
export class FailureBook {
  private readonly kept: ReadFailure[] = [];
  private readonly occurrences = new Map<string, number>();

  /** Whether the incident is a new one; one met before is counted. */
  isNew = (incident: Incident): boolean => {
    const content = contentOf(incident);
    const known = this.occurrences.get(content);
    if (known === undefined && this.occurrences.size >= mostCases) return false;
    this.occurrences.set(content, (known ?? 0) + printedTimes(incident));
    return known === undefined;
  };

  add(failure: ReadFailure | null): void {
    if (failure !== null) this.kept.push(failure);
  }

  /** The lines on which the kept cases begin. */
  lines(): ReadonlySet<number> {
    return new Set(this.kept.map(({ line }) => line));
  }

  isEmpty(): boolean {
    return this.kept.length === 0;
  }

  /** Whether nothing kept says why: only what ranks that waited print, or that a process was killed. */
  lacksCause(): boolean {
    return this.kept.every((failure) => failure.role !== 'cause' || isKill(failure));
  }

  /** In the order of their lines. */
  failures(): CountedFailure[] {
    return this.kept
      .map((failure) => ({ failure, occurrences: this.occurrences.get(failure.content) ?? 1 }))
      .sort((a, b) => a.failure.line - b.failure.line);
  }
}

/** How often the main message stands in the text; Ray prints one of many equal lines and how many there were. */
function printedTimes({ main, messages }: Incident): number {
  const times = messages
    .filter(({ reading }) => reading.grammar === main.reading.grammar)
    .map(({ writer, lastLine }) =>
      Number(/\[repeated (\d{1,6})x across/.exec(writer.lines[lastLine]?.text ?? '')?.[1] ?? 1),
    );
  return times.reduce((sum, count) => sum + count, 0);
}
