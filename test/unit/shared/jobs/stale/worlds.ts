/** A world of processes as a value: what there is, and what of it can be seen. */
import type { GpuHold } from '../../../../../shared/jobs/assembleJob';
import { groupJobs } from '../../../../../shared/jobs/grouping';
import { endingPlan } from '../../../../../shared/jobs/stale/ending';
import { isOfferedForFreeing, isProven } from '../../../../../shared/jobs/stale/freeing';
import { judgeJobs, noPasts } from '../../../../../shared/jobs/stale/judge';
import type { Job, ProcessFacts } from '../../../../../shared/jobs/types';
import type { HiddenPart } from '../../../../../shared/jobs/world';
import { machineInit } from '../facts';

export interface Situation {
  readonly table: readonly ProcessFacts[];
  readonly holds: readonly GpuHold[];
  /** Pid 1: a machine's init where it is left out, none for null. */
  readonly init?: ProcessFacts | null;
  readonly hasMachineInit?: boolean;
  readonly hidden?: readonly HiddenPart[];
  /** Percent by card; null where a card does not say. */
  readonly busyCards?: Readonly<Record<number, number | null>>;
  readonly livingContainers?: readonly string[] | null;
  /** How long it has looked like this. */
  readonly afterSeconds?: number;
}

/** The judged jobs, in the order of their first processes. */
export function look(situation: Situation): readonly Job[] {
  const { table, holds, init = machineInit, livingContainers = null, afterSeconds = 20 } = situation;
  const world = {
    hidden: new Set(situation.hidden ?? []),
    hasMachineInit: situation.hasMachineInit ?? true,
    reparents: true,
  };
  const jobs = groupJobs({
    facts: init === null ? table : [init, ...table],
    holds,
    gpuIndexByMinor: new Map([0, 1, 2, 3].map((index) => [index, index])),
    previous: [],
    ownUid: 1000,
    world,
  });
  const question = {
    jobs,
    busyCards: new Map(
      Object.entries(situation.busyCards ?? {}).map(([index, percent]) => [Number(index), percent]),
    ),
    listeningPorts: null,
    livingContainers: livingContainers === null ? null : new Set(livingContainers),
    world,
  };
  const first = judgeJobs(noPasts, { ...question, now: 1000 });
  const judged = judgeJobs(first.memory, { ...question, now: 1000 + afterSeconds }).jobs;
  const firstPid = ({ members }: Job) => Math.min(...members.map(({ process }) => process.pid));
  return judged.toSorted((a, b) => firstPid(a) - firstPid(b));
}

const protection = { uid: 1000, ownPids: new Set<number>() };

/** What `free --yes` would end in this world, or what a person is offered where `alsoSuspect`. */
export function endedIn(situation: Situation, alsoSuspect = false): readonly number[] {
  return look(situation)
    .filter((job) => isOfferedForFreeing(job) && (alsoSuspect || isProven(job)))
    .flatMap((job) => endingPlan(job, protection).ends.map(({ process }) => process.pid))
    .toSorted((a, b) => a - b);
}
