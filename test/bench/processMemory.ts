import { readdirSync, readFileSync } from 'node:fs';

/**
 * The memory of an Electron app's own processes: main and every Chromium child (those have a `--type=` argument),
 * each counted with its share of what it shares with others (PSS), so that nothing counts twice. Programs that the
 * app started, such as nvidia-smi, are not counted.
 */
export function ownMemoryBytes(mainPid: number): number {
  return ownPids(mainPid).reduce((total, pid) => total + pssBytes(pid), 0);
}

/** The processor time that the same processes have used so far. */
export function ownProcessorSeconds(mainPid: number): number {
  return ownPids(mainPid).reduce((total, pid) => total + processorSeconds(pid), 0);
}

function ownPids(mainPid: number): readonly number[] {
  return [mainPid, ...descendants(mainPid).filter((pid) => commandLine(pid).some(isChromiumType))];
}

/** Linux counts in hundredths of a second on every machine that Electron runs on (USER_HZ). */
const ticksPerSecond = 100;

function processorSeconds(pid: number): number {
  const stat = readProc(pid, 'stat');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / ticksPerSecond;
}

const isChromiumType = (argument: string): boolean => argument.startsWith('--type=');

/** Every process below one, in no order. */
export function descendants(pid: number): readonly number[] {
  const children = new Map<number, number[]>();
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const parent = parentOf(Number(entry));
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
  }
  const below = (parent: number): number[] =>
    (children.get(parent) ?? []).flatMap((child) => [child, ...below(child)]);
  return below(pid);
}

function parentOf(pid: number): number | null {
  // The name in brackets may hold anything, so read from the last bracket on.
  const stat = readProc(pid, 'stat');
  const parent = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1];
  return parent === undefined ? null : Number(parent);
}

/** What a process was called with; empty for one that has ended. */
export function commandLine(pid: number): readonly string[] {
  return readProc(pid, 'cmdline').split(/[\0 ]/); // Chromium's children replace the separators by spaces.
}

/** The memory of one process, with its share of what it shares with others; 0 for one that has ended. */
export function pssBytes(pid: number): number {
  return Number(/^Pss:\s+(\d+) kB/m.exec(readProc(pid, 'smaps_rollup'))?.[1] ?? 0) * 1024;
}

/** Empty for a process that ended in between. */
function readProc(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code === 'ENOENT' || code === 'ESRCH') return '';
    throw error;
  }
}
