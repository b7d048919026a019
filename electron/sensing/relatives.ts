/** Which processes belong near a card: those on it, what started them, what they started, and their siblings. */
/** What a family tree is made of. */
export interface Kin {
  readonly pid: number;
  readonly parentPid: number;
  readonly name: string;
}

/** Short names of programs that start ranks; a rank's siblings count as relatives only under one of them. */
const launcherName =
  /^(?:python|pt_|torchrun|accelerate|deepspeed|mpi(?:run|exec)|orte|prte|hydra|srun|slurmstepd|horovod|ray)/;
/** A pid that was reused in mid-reading could make a circle; no real tree is that deep. */
const mostAncestors = 64;

/** The pids of the seeds and all their relatives among `stats`, pid 1 among them: it may be a launcher itself. */
export function relativesOf(stats: ReadonlyMap<number, Kin>, seeds: Iterable<number>): ReadonlySet<number> {
  const children = new Map<number, number[]>();
  for (const { pid, parentPid } of stats.values()) {
    const siblings = children.get(parentPid);
    if (siblings === undefined) children.set(parentPid, [pid]);
    else siblings.push(pid);
  }
  const found = new Set<number>();
  const addFamily = (root: number): void => {
    const open = [root];
    for (let pid = open.pop(); pid !== undefined; pid = open.pop()) {
      if (found.has(pid) && pid !== root) continue;
      found.add(pid);
      open.push(...(children.get(pid) ?? []));
    }
  };
  for (const seed of seeds) {
    if (!stats.has(seed)) continue;
    addFamily(seed);
    let current = stats.get(seed);
    for (let step = 0; step < mostAncestors && current !== undefined && current.parentPid > 0; step += 1) {
      const parent = stats.get(current.parentPid);
      if (parent === undefined) break;
      if (found.has(parent.pid) && parent.pid === 1) break;
      if (launcherName.test(parent.name)) addFamily(parent.pid);
      found.add(parent.pid);
      current = parent;
    }
  }
  return found;
}
