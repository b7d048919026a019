import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseProcStat, type ProcStat } from '../../shared/jobs/procStat';
import { valueOf } from './harness/calls';
import { launchApp } from './harness/launchApp';

/** Every process but those that have ended and only wait to be noticed. */
function living(): readonly ProcStat[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = parseProcStat(readFileSync(`/proc/${name}/stat`, 'utf8'));
        return stat === null || stat.state === 'Z' ? [] : [stat];
      } catch {
        return []; // It ended while we looked.
      }
    });
}

/** A pid alone is used again; with its start time it is not. */
const identity = ({ pid, startTime, name }: ProcStat): string => `${name} ${pid} ${startTime}`;

/** Everything that the app started, directly or not, by walking down from its main process. */
function family(pid: number): readonly ProcStat[] {
  const all = living();
  const belongs = new Set([pid]);
  for (let size = 0; size < belongs.size;) {
    size = belongs.size;
    for (const stat of all) if (belongs.has(stat.parentPid)) belongs.add(stat.pid);
  }
  return all.filter((stat) => belongs.has(stat.pid));
}

test.runIf(process.platform === 'linux').each(['SIGTERM', 'SIGKILL'] as const)(
  'after %s nothing that the app started is left: no nvidia-smi, no sampler, no process of a scene',
  async (signal) => {
    const app = await launchApp({ scene: 'eight-healthy' });
    const pidsInJobs = async () =>
      ((await valueOf(app, 'snapshot.current', null))?.jobs ?? []).flatMap(({ members }) =>
        members.map(({ process: { pid } }) => pid),
      );
    // The launcher, its ranks, and two workers of each.
    await expect.poll(async () => (await pidsInJobs()).length).toBe(1 + 8 + 16);
    const inJobs = new Set(await pidsInJobs());
    const started = new Map(
      [...family(app.pid), ...living().filter(({ pid }) => inJobs.has(pid))].map((stat) => [
        identity(stat),
        stat,
      ]),
    );
    expect(started.size).toBeGreaterThan(25 + 3); // Main, sampler and page at least.

    process.kill(app.pid, signal);
    const left = () =>
      living()
        .map(identity)
        .filter((name) => started.has(name));
    await expect.poll(left).toEqual([]);
  },
);
