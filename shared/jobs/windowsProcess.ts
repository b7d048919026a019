/** What Windows' own tools answer about one process, as facts. */
import type { EndingSignal } from '../contract/ending';

/** What PowerShell printed for a process: its creation in whole seconds since the epoch, or `none`. */
export function parseWindowsIdentity(
  printed: string,
): { readonly startTime: number; readonly uid: null; readonly state: 'unknown' } | 'unreadable' | null {
  const text = printed.trim();
  if (text === 'none') return null;
  // Milliseconds, as the list of processes has them, which knows whole seconds only.
  return /^\d{9,11}$/.test(text)
    ? { startTime: Number(text) * 1000, uid: null, state: 'unknown' }
    : 'unreadable';
}

/** `taskkill` for one pid: never a tree (/T), never a name (/IM). SIGKILL is /F, anything else a polite request. */
export function taskkillArguments(pid: number, signal: Exclude<EndingSignal, 'SIGCONT'>): readonly string[] {
  return signal === 'SIGKILL' ? ['/F', '/PID', String(pid)] : ['/PID', String(pid)];
}

/** taskkill answers 0 where it was done, 128 where there is no such process, 1 where it was refused. */
export function taskkillResult(exitCode: number | null): 'sent' | 'gone' | 'refused' {
  return exitCode === 0 ? 'sent' : exitCode === 128 ? 'gone' : 'refused';
}
