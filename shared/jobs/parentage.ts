/**
 * Who started a process, as far as the process table tells: its parent, or somebody who has ended since, so that another
 * process took it in. Linux gives an orphan to the nearest ancestor that is a sub-reaper, else to pid 1 of its namespace
 * (https://man7.org/linux/man-pages/man2/pr_set_child_subreaper.2.html), and keeps its session and process group.
 */
import { ancestorsOf, type Candidate } from './candidate';
import { keepsContainer } from './containers';
import { baseName } from './program';
import type { World } from './world';

/**
 * `started`: by its parent, which lives. `adopted`: who started it has ended; `likely-adopted`: it looks so. `outside`: it is
 * the first process of its pid namespace or entered it from outside (`docker exec`). `unknown`: its parent, or what that is,
 * cannot be seen.
 */
export type Parentage = 'started' | 'adopted' | 'likely-adopted' | 'outside' | 'unknown';

/** How long after a container's init its own program starts at most, in clock ticks (100 a second). */
const containerStartTicks = 200;

/** Who started this process: never `adopted` where something that would speak against it is out of sight. */
export function parentageOf(candidate: Candidate, world: World): Parentage {
  const { facts, parent } = candidate;
  if (facts.parentPid === null || facts.startTime === null) return 'unknown';
  if (facts.parentPid === 0) return 'outside';
  if (!world.reparents) return windowsParentage(candidate, world);
  if (parent === null || !isReadable(parent)) return 'unknown';
  if (wasAdopted(candidate, parent, world)) return 'adopted';
  return looksAdopted(candidate, parent) ? 'likely-adopted' : 'started';
}

/** Windows keeps the number of a parent that has ended, and may give it to a younger process. */
function windowsParentage({ facts, parent }: Candidate, { hidden }: World): Parentage {
  if (parent === null) return hidden.size === 0 ? 'adopted' : 'unknown';
  return (parent.facts.startTime ?? 0) > (facts.startTime ?? 0) ? 'adopted' : 'started';
}

/** What a process is cannot be said without its command line: pid 1 may be an init or a training script. */
function isReadable({ facts }: Candidate): boolean {
  return facts.startTime !== null && facts.command !== null;
}

function wasAdopted(child: Candidate, parent: Candidate, world: World): boolean {
  const { kind } = parent.program;
  if (isInit(parent, world)) return !isContainersProgram(child, parent, world);
  // Only Python and its like start such a child, and a raylet its workers; others can only have taken it in.
  if (child.program.kind === 'spawned' && (kind === 'shell' || (kind === 'service' && !isRaylet(parent))))
    return true;
  if (hasForeignSession(child)) return true;
  return kind === 'service' && isAdoptedByService(child, parent);
}

function isRaylet({ facts: { name, command } }: Candidate): boolean {
  return name === 'raylet' || baseName(command?.[0] ?? '') === 'raylet';
}

/** Pid 1 is nobody's launcher where it is an init; in a container it may be torchrun, vLLM, a shell or a script. */
function isInit({ facts, program }: Candidate, { hasMachineInit }: World): boolean {
  if (program.kind === 'init') return true;
  return facts.pid === 1 && hasMachineInit && (program.kind === 'other' || program.kind === 'service');
}

/** tini, dumb-init and their like start one program, at once; all else below them was taken in. */
function isContainersProgram(child: Candidate, { facts: init }: Candidate, world: World): boolean {
  if (init.pid === 1 && world.hasMachineInit) return false;
  if (child.facts.startTime === null || init.startTime === null) return false;
  return child.facts.startTime - init.startTime <= containerStartTicks;
}

/** A shell that is the first process of a container takes orphans in, and never starts a program in a session of its own. */
function looksAdopted(child: Candidate, parent: Candidate): boolean {
  const isFirst =
    parent.facts.pid === 1 ||
    parent.facts.parentPid === 0 ||
    (parent.parent !== null && keepsContainer(parent.parent.facts.name));
  return isFirst && parent.program.kind === 'shell' && child.facts.session === child.facts.pid;
}

/**
 * A process has its parent's session or leads one of its own. One in a session that neither it nor any process above it
 * has was started by somebody who is no longer there.
 */
function hasForeignSession(child: Candidate): boolean {
  const { pid, session } = child.facts;
  if (session === null || session <= 0 || session === pid) return false;
  const above = ancestorsOf(child);
  // With a gap in the chain nobody knows whose session it is.
  const last = above.at(-1)?.facts;
  const isComplete = last !== undefined && (last.pid === 1 || last.parentPid === 0);
  return isComplete && above.every(({ facts }) => facts.session !== null && facts.session !== session);
}

/** A keeper of many programs starts some itself and adopts others; each has its own way of starting one. */
function isAdoptedByService(child: Candidate, parent: Candidate): boolean {
  // A pane has a terminal of its own, a process that fell to the server has lost its one.
  if (/^tmux/.test(parent.facts.name)) return child.facts.terminal === 0;
  // The user's service manager starts units; what lives in a scope was started by somebody else.
  if (parent.facts.name === 'systemd')
    return child.facts.cgroup !== null && !isUnitOfService(child.facts.cgroup);
  return false;
}

/** Whether a cgroup is a unit's of a service manager: the machine's or a user's. */
export function isUnitOfService(cgroup: string): boolean {
  if (!cgroup.includes('.service')) return false;
  return (
    /\/system\.slice\/(?!docker-|cri-|ssh|cron)[^/]+\.service(?:\/|$)/.test(cgroup) ||
    /\/user@\d+\.service\/(?:[^/]+\.slice\/)*(?!dbus|gnome-terminal|vte-|ssh|tmux|init\.scope)[^/]+\.service(?:\/|$)/.test(
      cgroup,
    )
  );
}
