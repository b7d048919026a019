/** Sets of pids that are joined pair by pair. */
export class Union {
  private readonly parents = new Map<number, number>();

  /** The representative of the set that holds `pid`. */
  find(pid: number): number {
    let root = pid;
    for (let above = this.parents.get(root); above !== undefined; above = this.parents.get(root))
      root = above;
    // Shorten the way for the next question.
    for (let at = pid; at !== root;) {
      const above = this.parents.get(at);
      this.parents.set(at, root);
      if (above === undefined) break;
      at = above;
    }
    return root;
  }

  join(left: number, right: number): void {
    const [a, b] = [this.find(left), this.find(right)];
    if (a !== b) this.parents.set(Math.max(a, b), Math.min(a, b));
  }
}
