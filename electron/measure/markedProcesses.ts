/**
 * The processes of one measurement, found by the mark that they inherit. torchrun gives every rank a session of its own,
 * so that neither the process group nor the tree would reach ranks whose launcher is gone.
 */
import { setImmediate as turn } from 'node:timers/promises';
import { measureVariable } from '../../shared/measure/command';
import { runOnce } from '../programs/runOnce';
import { windowsProgram } from '../programs/windowsPrograms';
import { listPids, readProcFile } from '../sensing/procfs';

const taskkillLimits = { timeoutMs: 10_000, maxBytes: 64 * 1024 };
const procFolder = '/proc';
/** Main draws nothing meanwhile: so many take some milliseconds, then it has its turn. */
const readAtOnce = 100;

/**
 * Sends the signal to the group of the started program, which must still run; a forced end reaches all that carry its mark.
 * Never rejects: what has ended by itself needs no signal, and the program's own end tells the rest.
 */
export async function signalAll(pid: number, mark: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  if (process.platform === 'win32') {
    // Windows knows no groups of this kind and no polite end of a console program.
    const taskkill = {
      command: windowsProgram('taskkill.exe'),
      leadingArguments: ['/T', '/F'],
      environment: {},
    };
    await runOnce(taskkill, ['/PID', String(pid)], taskkillLimits);
    return;
  }
  send(-pid, signal);
  // torchrun passes a polite end on by itself; a rank that gets it twice is called failed in its log.
  if (signal === 'SIGKILL') await endMarked(mark);
}

/**
 * Ends every process that carries the mark, each as soon as it is found, before its pid can be another's; how many there
 * were. Other users' processes cannot be read and are none of ours. Linux only, else none.
 */
export async function endMarked(mark: string): Promise<number> {
  if (process.platform !== 'linux') return 0;
  const entry = `${measureVariable}=${mark}`;
  let count = 0;
  for (const [place, pid] of listPids(procFolder).entries()) {
    if (place > 0 && place % readAtOnce === 0) await turn();
    const read = readProcFile(`${procFolder}/${pid}/environ`);
    if (!read.ok || !read.value.split('\0').includes(entry)) continue;
    send(pid, 'SIGKILL');
    count += 1;
  }
  return count;
}

function send(target: number, signal: NodeJS.Signals): void {
  try {
    process.kill(target, signal);
  } catch {
    return; // It has ended since it was listed.
  }
}
