/**
 * Processes where there is no /proc (Windows, macOS), through systeminformation. It is asked every few seconds, as it
 * starts a PowerShell or a `ps`; environment, cgroup and open files are not offered. Experimental: not tried on
 * Windows yet.
 */
import { powerShellRelease, powerShellStart, processes, type Systeminformation } from 'systeminformation';
import type { ProcessFacts, ProcessState, Unreadable } from '../../shared/jobs/types';
import type { World } from '../../shared/jobs/world';
import { relativesOf } from './relatives';
import { absentProcess, type ProcessQuestion, type ProcessReading, type ProcessTable } from './processTable';

type Listed = Systeminformation.ProcessesProcessData;

const refreshMs = 4000;
const topCount = 8;
const portableWorld: World = {
  hidden: new Set(),
  hasMachineInit: process.platform !== 'win32',
  reparents: process.platform !== 'win32',
};
const notOffered: readonly Unreadable[] = (
  ['environment', 'openFiles', 'inputOutput', 'cgroup', 'workingFolder'] as const
).map((facts) => ({ facts, reason: 'notOffered' }));

export class PortableProcessTable implements ProcessTable {
  private listed: readonly Listed[] = [];
  private askedAt = -Infinity;
  private asking: Promise<void> | null = null;

  constructor() {
    // One PowerShell for all questions instead of one each (systeminformation#788).
    if (process.platform === 'win32') powerShellStart();
  }

  /** Asks now; resolves when the list is there. */
  refresh(now: number): Promise<void> {
    this.askedAt = now;
    this.asking ??= processes()
      .then(({ list }) => {
        this.listed = list;
      })
      .catch(() => {
        // The list stays as it was; the next question may be answered.
        return;
      })
      .finally(() => {
        this.asking = null;
      });
    return this.asking;
  }

  read({ pidsOnCards, now }: ProcessQuestion): ProcessReading {
    if (now - this.askedAt >= refreshMs) void this.refresh(now);
    const stats = new Map(this.listed.map((listed) => [listed.pid, listed]));
    const near = relativesOf(stats, pidsOnCards);
    const missing = [...pidsOnCards].filter((pid) => !stats.has(pid));
    return {
      facts: [
        ...this.listed.filter(({ pid }) => near.has(pid)).map(factsOf),
        ...missing.map((pid) => absentProcess(pid, this.listed.length === 0 ? 'notRead' : 'gone')),
      ],
      topByMemory: [...this.listed]
        .sort((a, b) => b.memRss - a.memRss)
        .slice(0, topCount)
        .map(({ pid, name, memRss }) => ({ pid, name, residentBytes: memRss * 1024 })),
      world: portableWorld,
    };
  }

  dispose(): void {
    if (process.platform === 'win32') powerShellRelease();
  }
}

function factsOf(listed: Listed): ProcessFacts {
  const started = Date.parse(listed.started);
  return {
    pid: listed.pid,
    startTime: Number.isNaN(started) ? null : started,
    uid: null,
    user: listed.user === '' ? null : listed.user,
    parentPid: listed.parentPid,
    processGroup: null,
    session: null,
    terminal: null,
    state: stateOf(listed.state),
    name: listed.name,
    command:
      listed.command === ''
        ? null
        : [listed.path === '' ? listed.command : listed.path, ...wordsOf(listed.params)],
    workingFolder: null,
    startedAt: Number.isNaN(started) ? null : started / 1000,
    residentBytes: listed.memRss * 1024,
    // A short timer makes it answer shares beyond all cores (systeminformation#735).
    cpuPercent: listed.cpu >= 0 && listed.cpu <= 100 ? listed.cpu : null,
    cpuSeconds: null,
    ioBytes: null,
    cgroup: null,
    openDevices: null,
    spawnFamily: null,
    writesCheckpoint: null,
    environment: null,
    unreadable: notOffered,
  };
}

function wordsOf(parameters: string): readonly string[] {
  return parameters.split(/\s+/).filter((word) => word !== '');
}

function stateOf(state: string): ProcessState {
  switch (state) {
    case 'running':
      return 'R';
    case 'sleeping':
      return 'S';
    case 'blocked':
      return 'D';
    case 'stopped':
      return 'T';
    case 'zombie':
      return 'Z';
    default:
      return 'unknown';
  }
}
