/**
 * Run by refused.test.ts in a process of its own, as a user without rights: reads a process whose insides the kernel
 * keeps from it, and prints the facts. As root it first becomes nobody; its parent is then another user's process.
 *
 * Arguments: a program that may be run and not read. Who runs such a program may not look into its process
 * (https://man7.org/linux/man-pages/man2/PR_SET_DUMPABLE.2const.html), which needs no second user.
 */
import { spawn } from 'node:child_process';
import { LinuxProcessTable } from '../../../../electron/sensing/processTable';

const nobody = 65_534;
const [program = ''] = process.argv.slice(2);

const isRoot = process.getuid?.() === 0;
if (isRoot) {
  process.setgroups?.([]);
  process.setgid?.(nobody);
  process.setuid?.(nobody);
}
const child = spawn(program, ['60'], { stdio: 'ignore', env: { RANK: '3' } });
try {
  const pid = child.pid;
  if (pid === undefined) throw new Error(`${program} did not start`);
  const table = new LinuxProcessTable({ procFolder: '/proc', devicePrefix: '/dev/nvidia' });
  const pids = isRoot ? [pid, process.ppid] : [pid];
  const { facts } = table.read({
    pidsOnCards: new Set(pids),
    suspicious: false,
    now: Date.now(),
    slowness: 1,
  });
  const told = pids.map((one) => facts.find((fact) => fact.pid === one) ?? null);
  process.stdout.write(JSON.stringify({ uid: process.getuid?.() ?? null, told }));
} finally {
  child.kill('SIGKILL');
}
