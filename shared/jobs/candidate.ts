/** A process with what the grouping rules ask of it again and again. */
import { monitorNames, programOf, type Program } from './program';
import type { ProcessFacts } from './types';

export interface Candidate {
  readonly facts: ProcessFacts;
  readonly program: Program;
  readonly parent: Candidate | null;
  /** nvidia-smi lists it. */
  readonly onCard: boolean;
}

/** All processes by pid, each with its parent; `listed` are the pids that nvidia-smi lists. */
export function candidatesOf(
  facts: readonly ProcessFacts[],
  listed: ReadonlySet<number>,
): ReadonlyMap<number, Candidate> {
  const byPid = new Map(facts.map((fact) => [fact.pid, fact]));
  const candidates = new Map<number, Candidate>();
  const build = (fact: ProcessFacts, depth: number): Candidate => {
    const known = candidates.get(fact.pid);
    if (known !== undefined) return known;
    const above = fact.parentPid === null ? undefined : byPid.get(fact.parentPid);
    const candidate = {
      facts: fact,
      program: programOf(fact),
      parent: above === undefined || above === fact || depth > deepestTree ? null : build(above, depth + 1),
      onCard: listed.has(fact.pid),
    };
    candidates.set(fact.pid, candidate);
    return candidate;
  };
  for (const fact of facts) build(fact, 0);
  return candidates;
}

/** The processes above one, nearest first. */
export function ancestorsOf(candidate: Candidate): readonly Candidate[] {
  const found: Candidate[] = [];
  for (let above = candidate.parent; above !== null && found.length < deepestTree; above = above.parent)
    found.push(above);
  return found;
}

export function isLauncher({ program }: Candidate): boolean {
  return program.kind === 'launcher';
}

/** A pid that was reused in mid-reading could make a circle; no real tree is that deep. */
const deepestTree = 64;

/**
 * A CUDA context holds a card's file and nvidia-uvm; a tool that only asks NVML does not open nvidia-uvm. A forked
 * data-loader worker inherits both and pins the memory of its dead parent.
 */
export function hasContextOpen({ openDevices, name }: ProcessFacts): boolean {
  return (
    openDevices !== null &&
    !monitorNames.has(name) &&
    openDevices.includes('/dev/nvidia-uvm') &&
    openDevices.some((device) => /^\/dev\/nvidia\d+$/.test(device))
  );
}
