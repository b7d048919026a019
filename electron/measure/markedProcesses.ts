/**
 * The processes of one measurement, found by the mark that they inherit. torchrun gives every rank a session of its own,
 * so that neither the process group nor the tree would reach ranks whose launcher is gone.
 */
import { spawn } from 'node:child_process';
import { measureVariable } from '../../shared/measure/command';
import { listPids, readProcFile } from '../sensing/procfs';

const taskkillMs = 10_000;

/** The pids that carry the mark; other users' processes cannot be read and are none of ours. Linux only, else none. */
function markedPids(mark: string): readonly number[] {
  if (process.platform !== 'linux') return [];
  const procFolder = '/proc';
  const entry = `${measureVariable}=${mark}`;
  return listPids(procFolder).filter((pid) => {
    const read = readProcFile(`${procFolder}/${pid}/environ`);
    return read.ok && read.value.split('\0').includes(entry);
  });
}

/** Sends the signal to the group of the started program, which must still run; a forced end reaches all that carry its mark. */
export function signalAll(pid: number, mark: string, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (process.platform === 'win32') {
    // Windows knows no groups of this kind and no polite end of a console program.
    const taskkill = ['/T', '/F', '/PID', String(pid)];
    spawn('taskkill', taskkill, { stdio: 'ignore', windowsHide: true, timeout: taskkillMs }).on(
      'error',
      () => undefined, // It is gone already, or the program's own exit tells.
    );
    return;
  }
  send(-pid, signal);
  // torchrun passes a polite end on by itself; a rank that gets it twice is called failed in its log.
  if (signal === 'SIGKILL') endMarked(mark);
}

/** Ends every process that carries the mark; how many there were. */
export function endMarked(mark: string): number {
  const pids = markedPids(mark);
  for (const pid of pids) send(pid, 'SIGKILL');
  return pids.length;
}

function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch {
    return; // It has ended since it was listed.
  }
}
