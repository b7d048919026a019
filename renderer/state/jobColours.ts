/** How many job colours the tokens have. */
export const jobColourCount = 7;

/**
 * Gives each job a colour that stays while the window lives. New jobs are taken in the order of their ids and get the
 * colour that fewest of the jobs seen together use, so neighbours differ as long as there are colours left.
 */
export class JobColours {
  readonly #colours = new Map<string, number>();

  /** The colour of a job: an index of the `--job-N` tokens. */
  of(jobId: string): number {
    return this.#colours.get(jobId) ?? this.#give(jobId);
  }

  /** Makes sure that all jobs of one moment have colours, given in the order of their ids. */
  see(jobIds: readonly string[]): void {
    const present = new Set(jobIds);
    for (const jobId of [...jobIds].sort()) {
      if (!this.#colours.has(jobId)) this.#give(jobId, present);
    }
  }

  #give(jobId: string, present?: ReadonlySet<string>): number {
    const uses = Array.from({ length: jobColourCount }, () => 0);
    for (const [id, colour] of this.#colours) {
      if (present === undefined || present.has(id)) uses[colour] = (uses[colour] ?? 0) + 1;
    }
    const colour = uses.indexOf(Math.min(...uses));
    this.#colours.set(jobId, colour);
    return colour;
  }
}
