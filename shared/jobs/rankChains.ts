/**
 * From a rank to who started it. Between a launcher and its ranks other programs may stand (`timeout`, `nsys profile`,
 * `numactl`, a wrapper script): each of them carries the variables of the rank that it started, and belongs to it.
 */
import type { Candidate } from './candidate';
import { parentageOf } from './parentage';
import { containerOf } from './program';
import { runKey } from './runs';
import type { Union } from './union';
import type { World } from './world';

/** The rank itself and the programs above it that were started with its very variables, the topmost last. */
export function rankChain(rank: Candidate): readonly [Candidate, ...Candidate[]] {
  const chain: [Candidate, ...Candidate[]] = [rank];
  for (let above = rank.parent; above !== null && isSameRank(above, rank); above = above.parent)
    chain.push(above);
  return chain;
}

const keepers: ReadonlySet<string> = new Set(['launcher', 'notebook', 'init', 'service', 'desktop']);

function isSameRank(above: Candidate, { facts: { environment: own, uid } }: Candidate): boolean {
  const other = above.facts.environment;
  return (
    own !== null &&
    other !== null &&
    own.rank !== null &&
    !keepers.has(above.program.kind) &&
    above.facts.uid === uid &&
    other.rank === own.rank &&
    other.localRank === own.localRank &&
    other.worldSize === own.worldSize &&
    other.masterPort === own.masterPort &&
    other.torchelasticRunFolder === own.torchelasticRunFolder
  );
}

/**
 * Joins each rank with the programs of its chain, and the ranks of one run with the living program that started them,
 * whatever it is called. A shell, a service or a driver of several runs keeps apart: it is no part of any.
 */
export function joinStarters(union: Union, seeds: readonly Candidate[], world: World): void {
  const runsOf = new Map<Candidate, Map<string, Candidate[]>>();
  for (const seed of seeds) {
    const { environment } = seed.facts;
    if (environment === null || environment.rank === null || (environment.worldSize ?? 1) < 2) continue;
    const chain = rankChain(seed);
    for (const { facts } of chain) union.join(seed.facts.pid, facts.pid);
    const top = chain.at(-1) ?? seed;
    const starter = top.parent;
    if (starter === null || !mayLaunch(starter, top) || parentageOf(top, world) !== 'started') continue;
    const runs = runsOf.get(starter) ?? new Map<string, Candidate[]>();
    const key = runKey(seed.facts) ?? `alone ${seed.facts.pid}`;
    const ranks = runs.get(key);
    if (ranks === undefined) runs.set(key, [seed]);
    else ranks.push(seed);
    runsOf.set(starter, runs);
  }
  for (const [starter, runs] of runsOf)
    if (runs.size === 1)
      for (const rank of [...runs.values()].flat()) union.join(starter.facts.pid, rank.facts.pid);
}

function mayLaunch({ facts, program }: Candidate, top: Candidate): boolean {
  const { kind } = program;
  return (
    (kind === 'python' || kind === 'other') && containerOf(facts.cgroup) === containerOf(top.facts.cgroup)
  );
}
