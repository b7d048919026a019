/** What is wrong between us and the program nvidia-smi itself, as Problems; what it prints is read by shared/gpu. */
import { existsSync } from 'node:fs';
import { machineProblem } from '../../shared/gpu/problems';
import { readFailures } from '../../shared/gpu/smi/failures';
import type { Problem } from '../../shared/gpu/types';
import type { StreamState } from './lineStream';

/** The system's words for the errors that starting a program gives. */
const startErrors: Readonly<Record<string, string>> = {
  EACCES: 'Permission denied',
  EPERM: 'Operation not permitted',
  ENOEXEC: 'Exec format error',
  EAGAIN: 'Resource temporarily unavailable',
  ENOMEM: 'Cannot allocate memory',
};

/** Why a program could not be started, by the operating system's code. */
export function startProblem(path: string, code: string): Problem {
  return code === 'ENOENT'
    ? machineProblem('command-missing')
    : machineProblem('smi-not-allowed', path, startErrors[code] ?? code);
}

/** Why there is no nvidia-smi to start: nowhere to be found, or the chosen file may not be run. */
export function missingProblems(chosen: string | null): readonly Problem[] {
  return chosen !== null && existsSync(chosen)
    ? [startProblem(chosen, 'EACCES')]
    : [machineProblem('command-missing')];
}

/** The Problems of a run that ended: what it said, or what its end alone tells. Empty for a quiet, successful end. */
export function endProblems(
  path: string,
  end: Omit<Extract<StreamState, { kind: 'ended' }>, 'kind'>,
): readonly Problem[] {
  const refused = /^setpriv: .*?: (No such file or directory|.+)$/m.exec(end.lastLines);
  if (refused !== null && (end.exitCode === 126 || end.exitCode === 127))
    return [
      end.exitCode === 127
        ? machineProblem('command-missing')
        : machineProblem('smi-not-allowed', path, refused[1] ?? ''),
    ];
  const told = readFailures(end.lastLines);
  if (told.length > 0) return told;
  if (end.signal === 'SIGSEGV' || end.signal === 'SIGBUS' || end.signal === 'SIGABRT')
    return [machineProblem('smi-crashed')];
  const text = end.lastLines.trim();
  if (end.exitCode !== 0 && end.exitCode !== null && text !== '')
    return [machineProblem('smi-unknown-text', text.slice(0, 200))];
  return [machineProblem('smi-ended', end.signal ?? `exit ${end.exitCode}`)];
}
