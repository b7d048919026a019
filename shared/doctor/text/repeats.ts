/** Lines of one wording that are read; a run that prints the same warning a million times is not read a million times. */
const mostOfAKind = 96;
const mostKinds = 20_000;
const kindCharacters = 160;

/** Counts suspicious lines by their wording without numbers, so that the rest of a flood can be passed over. */
export class RepeatFilter {
  private readonly counts = new Map<string, number>();
  private lineEnd = 0;
  private lastAnswer = false;

  /** Whether lines like the one at this offset were seen often enough. Offsets of one text come in rising order. */
  isWornOut(text: string, offset: number): boolean {
    if (offset < this.lineEnd) return this.lastAnswer;
    const start = text.lastIndexOf('\n', offset) + 1;
    const end = text.indexOf('\n', offset);
    this.lineEnd = end < 0 ? text.length : end;
    const kind = text
      .slice(
        Math.max(start, offset - kindCharacters / 2),
        Math.min(this.lineEnd, offset + kindCharacters / 2),
      )
      .replace(/\d+/g, '#');
    const count = (this.counts.get(kind) ?? 0) + 1;
    if (this.counts.size < mostKinds || count > 1) this.counts.set(kind, count);
    this.lastAnswer = count > mostOfAKind;
    return this.lastAnswer;
  }

  /** The text was cut: its first `characters` are gone. */
  shift(characters: number): void {
    this.lineEnd = Math.max(0, this.lineEnd - characters);
  }
}
