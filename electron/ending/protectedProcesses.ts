/** The processes that Headroom never ends: those of other users, its own, and all that is above them. */
import { readFileSync } from 'node:fs';
import { parseProcStat } from '../../shared/jobs/procStat';
import type { Protection } from '../../shared/jobs/stale/ending';

/** No process tree is deeper; a pid that is reused in mid-reading could make a circle. */
const deepestTree = 64;

/** `more`: further processes of this app, as Electron counts them; those that play a scene are not among them. */
export function ownProtection(more: readonly number[] = []): Protection {
  return { uid: process.getuid?.() ?? null, ownPids: new Set([process.pid, ...ancestors(), ...more]) };
}

function ancestors(): readonly number[] {
  const found: number[] = [];
  let pid = process.ppid;
  while (pid > 1 && found.length < deepestTree) {
    found.push(pid);
    pid = parentOf(pid);
  }
  return found;
}

/** 0 where it cannot be known: then nothing above is known either. */
function parentOf(pid: number): number {
  try {
    return parseProcStat(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.parentPid ?? 0;
  } catch {
    // No /proc (macOS, Windows), or it ended just now.
    return 0;
  }
}
