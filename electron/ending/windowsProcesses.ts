/**
 * The same few things on Windows, experimental: who a pid is comes from the system's own PowerShell, ending from its
 * own taskkill, both by their full path, with an argument array and a time limit. Windows has no signals: `taskkill`
 * asks a program to close (SIGTERM here), `taskkill /F` ends it (SIGKILL); nothing needs to be continued.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { parseWindowsIdentity, taskkillArguments, taskkillResult } from '../../shared/jobs/windowsProcess';
import type { Identity, ProcessControl, Sent } from './processes';

export interface ProgramAnswer {
  readonly exitCode: number | null;
  readonly stdout: string;
}
/** Runs one of the system's programs to its end; `exitCode` is null where it could not be run or took too long. */
export type RunSystemProgram = (file: string, args: readonly string[]) => ProgramAnswer;

const limitMs = 5000;
const outputLimit = 64 * 1024;

/** `SystemRoot` is set by Windows itself; a PATH that somebody changed cannot put another taskkill in its place. */
const system32 = path.win32.join(process.env['SystemRoot'] ?? 'C:\\Windows', 'System32');

const runSystemProgram: RunSystemProgram = (file, args) => {
  const { status, stdout } = spawnSync(file, args, {
    timeout: limitMs,
    maxBuffer: outputLimit,
    encoding: 'utf8',
    shell: false,
    windowsHide: true,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return { exitCode: status, stdout: stdout ?? '' };
};

export function windowsProcesses(run: RunSystemProgram = runSystemProgram): ProcessControl {
  return {
    identify(pid): Identity {
      if (!isPid(pid)) return 'unreadable';
      const script = `$p = Get-Process -Id ${pid} -ErrorAction SilentlyContinue; if ($p) { ([DateTimeOffset]$p.StartTime).ToUnixTimeSeconds() } else { 'none' }`;
      const shell = path.win32.join(system32, 'WindowsPowerShell', 'v1.0', 'powershell.exe');
      const { exitCode, stdout } = run(shell, ['-NoProfile', '-NonInteractive', '-Command', script]);
      return exitCode === null ? 'unreadable' : parseWindowsIdentity(stdout);
    },
    signal(pid, signal): Sent {
      if (!isPid(pid)) return 'refused';
      if (signal === 'SIGCONT') return 'sent';
      const { exitCode } = run(path.win32.join(system32, 'taskkill.exe'), taskkillArguments(pid, signal));
      return taskkillResult(exitCode);
    },
  };
}

/** 0 and 4 are Windows itself. */
function isPid(pid: number): boolean {
  return Number.isSafeInteger(pid) && pid > 4;
}
