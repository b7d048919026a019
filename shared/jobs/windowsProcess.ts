/** What Windows' own tools are asked about processes, and their answers as facts. */
import type { EndingSignal } from './types';

/** A process by its creation; `unreadable`: it is there and does not tell; null: no process has that pid. */
type WindowsIdentity =
  { readonly startTime: number; readonly uid: null; readonly state: 'unknown' } | 'unreadable' | null;

/** The last line of the answer: without it the answer was cut, and who is not in it need not be gone. */
const end = 'end';

/**
 * A PowerShell script that prints a line for each of the pids that a process has, `PID SECONDS` with its creation in whole
 * seconds since the epoch or `PID unreadable`, then `end`.
 */
export function identityScript(pids: readonly number[]): string {
  const creation = `$(if ($_.StartTime) { ([DateTimeOffset]$_.StartTime).ToUnixTimeSeconds() } else { 'unreadable' })`;
  return `Get-Process -Id ${pids.join(',')} -ErrorAction SilentlyContinue | ForEach-Object { "$($_.Id) ${creation}" }; '${end}'`;
}

/** The identity of each of the pids that were asked for, from what the script printed. */
export function parseWindowsIdentities(
  printed: string,
  pids: readonly number[],
): ReadonlyMap<number, WindowsIdentity> {
  const lines = printed.split(/\r?\n/).map((line) => line.trim());
  const isWhole = lines.includes(end);
  const found = new Map<number, WindowsIdentity>(pids.map((pid) => [pid, isWhole ? null : 'unreadable']));
  for (const line of lines) {
    const [, pid, creation] = /^(\d+) (\S+)$/.exec(line) ?? [];
    if (pid === undefined || creation === undefined || !found.has(Number(pid))) continue;
    found.set(Number(pid), identityOf(creation));
  }
  return found;
}

function identityOf(creation: string): WindowsIdentity {
  // Milliseconds, as the list of processes has them, which knows whole seconds only.
  return /^\d{9,11}$/.test(creation)
    ? { startTime: Number(creation) * 1000, uid: null, state: 'unknown' }
    : 'unreadable';
}

/** `taskkill` for one pid: never a tree (/T), never a name (/IM). SIGKILL is /F, anything else a polite request. */
export function taskkillArguments(pid: number, signal: Exclude<EndingSignal, 'SIGCONT'>): readonly string[] {
  return signal === 'SIGKILL' ? ['/F', '/PID', String(pid)] : ['/PID', String(pid)];
}

/** taskkill answers 0 where it was done, 128 where there is no such process, 1 where it was refused; null: no answer. */
export function taskkillResult(exitCode: number | null): 'sent' | 'gone' | 'refused' {
  return exitCode === 0 ? 'sent' : exitCode === 128 ? 'gone' : 'refused';
}
