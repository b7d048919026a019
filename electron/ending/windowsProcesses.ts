/**
 * The same few things on Windows, experimental: who a pid is comes from the system's own PowerShell, ending from its
 * own taskkill, both by their full path, with an argument array, a time limit and an output cap. Windows has no signals:
 * `taskkill` asks a program to close (SIGTERM here), `taskkill /F` ends it (SIGKILL); nothing needs to be continued.
 */
import {
  identityScript,
  parseWindowsIdentities,
  taskkillArguments,
  taskkillResult,
} from '../../shared/jobs/windowsProcess';
import { runOnce } from '../programs/runOnce';
import { windowsProgram } from '../programs/windowsPrograms';
import type { Identity, ProcessControl } from './processes';

export interface ProgramAnswer {
  readonly exitCode: number | null;
  readonly text: string;
}
/** Runs one of the system's programs; null where it could not be run, took too long or printed too much. Never rejects. */
export type RunSystemProgram = (file: string, args: readonly string[]) => Promise<ProgramAnswer | null>;

const limits = { timeoutMs: 5000, maxBytes: 256 * 1024 };

const runSystemProgram: RunSystemProgram = async (file, args) => {
  const result = await runOnce({ command: file, leadingArguments: [], environment: {} }, args, limits);
  return result.kind === 'ended' ? result : null;
};

export function windowsProcesses(run: RunSystemProgram = runSystemProgram): ProcessControl {
  return {
    async identify(pids) {
      const found = new Map<number, Identity>(pids.map((pid) => [pid, 'unreadable']));
      const asked = pids.filter(isPid);
      if (asked.length === 0) return found;
      const shell = windowsProgram('WindowsPowerShell', 'v1.0', 'powershell.exe');
      // One start for all of them, however many are asked for: it takes some 300 ms.
      const answer = await run(shell, ['-NoProfile', '-NonInteractive', '-Command', identityScript(asked)]);
      for (const [pid, identity] of parseWindowsIdentities(answer?.text ?? '', asked))
        found.set(pid, identity);
      return found;
    },
    async signal(pid, signal) {
      if (!isPid(pid)) return 'refused';
      if (signal === 'SIGCONT') return 'sent';
      const answer = await run(windowsProgram('taskkill.exe'), taskkillArguments(pid, signal));
      return taskkillResult(answer?.exitCode ?? null);
    },
  };
}

/** 0 and 4 are Windows itself. */
function isPid(pid: number): boolean {
  return Number.isSafeInteger(pid) && pid > 4;
}
