/** The last part of what a program prints, in bounded memory. */
const mostCharacters = 128 * 1024;
const shownLines = 12;
const mostLineLength = 400;

export class OutputTail {
  private kept = '';

  add(text: string): void {
    this.kept = (this.kept + text).slice(-mostCharacters);
  }

  text(): string {
    return this.kept;
  }

  /** The newest lines, the last one perhaps not yet whole. A progress bar that writes over itself shows its last state. */
  lastLines(): readonly string[] {
    return this.kept
      .slice(-shownLines * mostLineLength)
      .split(/\r?\n/)
      .map((line) => line.slice(line.lastIndexOf('\r') + 1).slice(0, mostLineLength))
      .filter((line) => line.trim() !== '')
      .slice(-shownLines);
  }
}
