/** A text as lines, and finding in it. */

export interface Match {
  /** Place of the line in the list of lines. */
  readonly line: number;
  readonly from: number;
  readonly to: number;
}

/** More places than anyone steps through; the search of a large text ends there. */
const mostMatches = 5_000;

/** Where a word stands, in either case of letters; empty for an empty word. */
export function findMatches(lines: readonly string[], wanted: string): Match[] {
  const needle = wanted.toLowerCase();
  if (needle === '') return [];
  const matches: Match[] = [];
  for (let line = 0; line < lines.length && matches.length < mostMatches; line += 1) {
    const text = (lines[line] ?? '').toLowerCase();
    for (
      let at = text.indexOf(needle);
      at >= 0 && matches.length < mostMatches;
      at = text.indexOf(needle, at + needle.length)
    )
      matches.push({ line, from: at, to: at + needle.length });
  }
  return matches;
}

/** The matches of each line that has any. */
export function groupByLine(matches: readonly Match[]): ReadonlyMap<number, readonly Match[]> {
  const groups = new Map<number, Match[]>();
  for (const match of matches) {
    const group = groups.get(match.line);
    if (group === undefined) groups.set(match.line, [match]);
    else group.push(match);
  }
  return groups;
}

export interface TextSegment {
  readonly text: string;
  readonly isMatch: boolean;
  readonly isChosen: boolean;
}

/** A line cut into what was found and what lies between. */
export function segmentsOf(text: string, matches: readonly Match[], chosen: Match | null): TextSegment[] {
  const segments: TextSegment[] = [];
  let from = 0;
  for (const match of matches) {
    if (match.from > from)
      segments.push({ text: text.slice(from, match.from), isMatch: false, isChosen: false });
    segments.push({ text: text.slice(match.from, match.to), isMatch: true, isChosen: match === chosen });
    from = match.to;
  }
  if (from < text.length || segments.length === 0)
    segments.push({ text: text.slice(from), isMatch: false, isChosen: false });
  return segments;
}

/** Colour codes and other control characters as one visible mark each, so that a line is shown as it is. */
export function shownText(line: string): string {
  // eslint-disable-next-line no-control-regex -- control characters are what is replaced
  return line.replace(/\t/g, '    ').replace(/[\u0000-\u001f\u007f-\u009f]/g, '\u00b7');
}
