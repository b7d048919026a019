/** Positions of a text as lines and columns, both from 1. */
export class Lines {
  private readonly starts: number[] = [0];

  constructor(readonly source: string) {
    for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) this.starts.push(at + 1);
  }

  at(position: number): { readonly line: number; readonly column: number } {
    let low = 0;
    let high = this.starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.starts[middle] ?? 0) <= position) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: position - (this.starts[low] ?? 0) + 1 };
  }

  /** The text of a line, from 1. */
  line(number: number): string {
    const from = this.starts[number - 1] ?? this.source.length;
    const to = this.starts[number] ?? this.source.length + 1;
    return this.source.slice(from, to - 1);
  }
}

/** Rules that the line itself, or a comment alone on the line before, tells to be quiet: `# headroom: ignore RULE`. */
export function ignoredAt(lines: Lines, line: number): ReadonlySet<string> {
  const before = lines.line(line - 1);
  const comments = [lines.line(line), /^\s*(#|\/\/)/.test(before) ? before : ''];
  return new Set(
    comments.flatMap((text) => /headroom:\s*ignore\s+([\w\-, ]+)/.exec(text)?.[1]?.split(/[\s,]+/) ?? []),
  );
}
