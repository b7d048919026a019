/** How many job colours the tokens have. */
export const jobColourCount = 7;

/** More jobs than a day's charts show: a window may stay open for months. */
const mostRemembered = 4_096;

/**
 * Gives each job a colour that stays while the window lives. New jobs are taken in the order of their ids and get the
 * colour that fewest of the jobs seen together use, so neighbours differ as long as there are colours left.
 */
export class JobColours {
  readonly #colours = new Map<string, number>();
  /** The jobs of the moment that was seen last: their colours are never forgotten. */
  #present: ReadonlySet<string> = new Set();

  /** The colour of a job: an index of the `--job-N` tokens. */
  of(jobId: string): number {
    return this.#colours.get(jobId) ?? this.#give(jobId);
  }

  /** Makes sure that all jobs of one moment have colours, given in the order of their ids. */
  see(jobIds: readonly string[]): void {
    this.#present = new Set(jobIds);
    for (const jobId of [...jobIds].sort()) {
      if (!this.#colours.has(jobId)) this.#give(jobId, this.#present);
    }
  }

  #give(jobId: string, present?: ReadonlySet<string>): number {
    const uses = Array.from({ length: jobColourCount }, () => 0);
    for (const [id, colour] of this.#colours) {
      if (present === undefined || present.has(id)) uses[colour] = (uses[colour] ?? 0) + 1;
    }
    const colour = uses.indexOf(Math.min(...uses));
    this.#colours.set(jobId, colour);
    if (this.#colours.size > mostRemembered) this.#forgetOldest();
    return colour;
  }

  #forgetOldest(): void {
    for (const id of this.#colours.keys())
      if (!this.#present.has(id)) {
        this.#colours.delete(id);
        return;
      }
  }
}
