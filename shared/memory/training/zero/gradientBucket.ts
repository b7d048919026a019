/** Gradients that wait to be reduced together. */
export class GradientBucket<T> {
  private waiting: T[] = [];
  private count = 0;

  get entries(): readonly T[] {
    return this.waiting;
  }

  /** Elements of the gradients in it. */
  get elements(): number {
    return this.count;
  }

  add(entry: T, count: number): void {
    this.waiting.push(entry);
    this.count += count;
  }

  /** Empties it; returns what was in it. */
  take(): readonly T[] {
    const taken = this.waiting;
    this.waiting = [];
    this.count = 0;
    return taken;
  }
}
