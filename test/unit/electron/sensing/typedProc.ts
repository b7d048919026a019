/** A /proc folder as a test types it, and a reader of it whose clock the test moves. */
import { existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { LinuxProcessTable } from '../../../../electron/sensing/processTable';
import type { ProcessFacts } from '../../../../shared/jobs/types';
import { temporaryFolder } from './support';

interface TypedProcess {
  readonly pid: number;
  readonly parent?: number;
  readonly name?: string;
  readonly state?: string;
  readonly cpuTicks?: number;
  readonly startTime?: number;
  readonly pages?: number;
  readonly isKernelThread?: boolean;
  readonly links?: readonly string[];
  readonly command?: readonly string[];
  readonly environ?: readonly string[];
}

/**
 * A /proc folder with processes as a test types them. As with the kernel's, a file that is open stays that of the
 * process it was opened for: its text follows that process, and is gone with it.
 */
export function typedProc() {
  const folder = temporaryFolder();
  const startTimes = new Map<number, number>();
  const end = (pid: number): void => {
    writeFileSync(path.join(folder, String(pid), 'stat'), '');
    rmSync(path.join(folder, String(pid)), { recursive: true });
    startTimes.delete(pid);
  };
  mkdirSync(path.join(folder, 'self/ns'), { recursive: true });
  symlinkSync('pid:[4026531836]', path.join(folder, 'self/ns/pid'));
  writeFileSync(path.join(folder, 'self/status'), 'Gid:\t0\t0\t0\t0\nGroups:\t\nCapEff:\t0\n');
  writeFileSync(path.join(folder, 'self/mountinfo'), `22 27 0:21 / ${folder} rw - proc proc rw\n`);
  mkdirSync(path.join(folder, '1'));
  writeFileSync(path.join(folder, '1/cmdline'), '/sbin/init\0');
  writeFileSync(path.join(folder, 'stat'), 'cpu 1 2 3\nbtime 1700000000\n');
  const put = (process: TypedProcess): void => {
    const {
      pid,
      parent = 1,
      name = 'python3',
      state = 'S',
      cpuTicks = 0,
      startTime = 500,
      pages = 10,
      isKernelThread = false,
    } = process;
    const own = path.join(folder, String(pid));
    if (startTimes.has(pid) && startTimes.get(pid) !== startTime) end(pid);
    startTimes.set(pid, startTime);
    for (const name of existsSync(own) ? readdirSync(own) : [])
      if (name !== 'stat') rmSync(path.join(own, name), { recursive: true });
    mkdirSync(path.join(own, 'fd'), { recursive: true });
    mkdirSync(path.join(own, 'fdinfo'));
    writeFileSync(
      path.join(own, 'stat'),
      `${pid} (${name}) ${state} ${parent} ${pid} ${pid} 0 -1 ${isKernelThread ? 0x208040 : 0x400000} 0 0 0 0 ${cpuTicks} 0 0 0 20 0 1 0 ${startTime} 0 ${pages} 0\n`,
    );
    writeFileSync(path.join(own, 'status'), 'Name:\tx\nUid:\t0\t0\t0\t0\n');
    writeFileSync(
      path.join(own, 'cmdline'),
      (process.command ?? ['python3', 'train.py']).map((word) => `${word}\0`).join(''),
    );
    writeFileSync(path.join(own, 'environ'), (process.environ ?? []).map((entry) => `${entry}\0`).join(''));
    writeFileSync(path.join(own, 'cgroup'), '0::/user.slice\n');
    writeFileSync(path.join(own, 'io'), 'rchar: 7\nwchar: 5\n');
    symlinkSync('/home/ada', path.join(own, 'cwd'));
    (process.links ?? []).forEach((target, descriptor) => {
      symlinkSync(target, path.join(own, 'fd', String(descriptor)));
      writeFileSync(path.join(own, 'fdinfo', String(descriptor)), 'pos:\t0\nflags:\t0100001\n');
    });
  };
  return {
    folder,
    put,
    remove: end,
  };
}

export function reader(procFolder: string) {
  const table = new LinuxProcessTable({ procFolder, devicePrefix: '/sim/dev/nvidia' });
  let now = 1_000_000;
  return (
    pids: readonly number[],
    options: { suspicious?: boolean; afterMs?: number; slowness?: number } = {},
  ) => {
    now += options.afterMs ?? 1000;
    return table.read({
      pidsOnCards: new Set(pids),
      suspicious: options.suspicious ?? false,
      now,
      slowness: options.slowness ?? 1,
    });
  };
}

export const pidsIn = (facts: readonly ProcessFacts[]) => facts.map(({ pid }) => pid).sort((a, b) => a - b);
export const isThere = ({ startTime }: ProcessFacts) => startTime !== null;
export const only = (facts: readonly ProcessFacts[], pid: number) => facts.find((fact) => fact.pid === pid);
