/** Small numbers for jobs, so that an interval can name one in four bytes. Only jobs that some interval names are kept. */
export class JobNumbers {
  private readonly numbers = new Map<string, number>();
  private readonly jobs = new Map<number, { readonly jobId: string; readonly title: string }>();
  private next = 1;
  private sweepAt = 1024;

  /** The number of a job, given anew where it has none. The newest title wins. */
  numberOf(jobId: string, title: string): number {
    const known = this.numbers.get(jobId);
    const number = known ?? this.next++;
    if (known === undefined) this.numbers.set(jobId, number);
    if (this.jobs.get(number)?.title !== title) this.jobs.set(number, { jobId, title });
    return number;
  }

  jobOf(number: number): { readonly jobId: string; readonly title: string } | null {
    return this.jobs.get(number) ?? null;
  }

  get size(): number {
    return this.jobs.size;
  }

  /** Whether enough jobs have been added since the last sweep to be worth another. */
  get wantsSweep(): boolean {
    return this.jobs.size >= this.sweepAt;
  }

  /** Forgets every job that is not in `living`; the next sweep waits until their number has doubled. */
  sweep(living: ReadonlySet<number>): void {
    for (const [number, { jobId }] of this.jobs)
      if (!living.has(number)) {
        this.jobs.delete(number);
        this.numbers.delete(jobId);
      }
    this.sweepAt = Math.max(1024, this.jobs.size * 2);
  }
}
