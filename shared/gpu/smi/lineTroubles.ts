/** Counts the lines of an output that could not be understood and tells them as one Problem. */
import { machineProblem } from '../problems';
import type { Problem } from '../types';

export class LineTroubles {
  private line = 0;
  private count = 0;
  private first = 0;
  private last = 0;

  /** The next line begins; the first is line 1. */
  next(): void {
    this.line++;
  }

  /** The line just begun could not be understood. */
  add(): void {
    this.count++;
    if (this.first === 0) this.first = this.line;
    this.last = this.line;
  }

  /** A single bad line at the very end is an output that was cut; anything else is damage. */
  problems(): Problem[] {
    if (this.count === 0) return [];
    if (this.count === 1 && this.last === this.line) return [machineProblem('input-cut')];
    return [machineProblem('input-damaged', this.count, this.first)];
  }
}
