/** What is wrong between us and the program nvidia-smi itself, as Problems; what it prints is read by shared/gpu. */
import { existsSync } from 'node:fs';
import { message, type Message } from '../../shared/i18n/message';
import { problem } from '../../shared/gpu/problems';
import { readFailures } from '../../shared/gpu/smi/failures';
import type { Problem } from '../../shared/gpu/types';
import type { StreamState } from './lineStream';

function build(code: string, text: Message, remedy: Message): Problem {
  return { code, gpuIndex: null, message: text, remedy };
}

export const smiProblem = {
  missing: (): Problem => problem.commandMissing(),
  notAllowed: (path: string, reason: string): Problem =>
    build(
      'smi-not-allowed',
      message('sensing.smiNotAllowed', { path, reason }),
      message('sensing.smiNotAllowedRemedy', { path }),
    ),
  silent: (seconds: number): Problem =>
    build('smi-silent', message('sensing.smiSilent', { seconds }), message('sensing.smiSilentRemedy')),
  stuck: (pid: number | null): Problem =>
    build('smi-stuck', message('sensing.smiStuck', { pid }), message('sensing.smiStuckRemedy')),
  ended: (status: string): Problem =>
    build('smi-ended', message('sensing.smiEnded', { status }), message('sensing.smiEndedRemedy')),
  unknownText: (text: string): Problem =>
    build('smi-unknown-text', message('sensing.smiUnknown', { text }), message('sensing.smiUnknownRemedy')),
  flood: (limit: number): Problem =>
    build('smi-flood', message('sensing.smiFlood', { limit }), message('sensing.smiFloodRemedy')),
  detailsMissing: (): Problem =>
    build('smi-details-missing', message('sensing.detailsMissing'), message('sensing.detailsMissingRemedy')),
} as const;

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
  return code === 'ENOENT' ? smiProblem.missing() : smiProblem.notAllowed(path, startErrors[code] ?? code);
}

/** Why there is no nvidia-smi to start: nowhere to be found, or the chosen file may not be run. */
export function missingProblems(chosen: string | null): readonly Problem[] {
  return chosen !== null && existsSync(chosen) ? [startProblem(chosen, 'EACCES')] : [smiProblem.missing()];
}

/** The Problems of a run that ended: what it said, or what its end alone tells. Empty for a quiet, successful end. */
export function endProblems(
  path: string,
  end: Omit<Extract<StreamState, { kind: 'ended' }>, 'kind'>,
): readonly Problem[] {
  const refused = /^setpriv: .*?: (No such file or directory|.+)$/m.exec(end.lastLines);
  if (refused !== null && (end.exitCode === 126 || end.exitCode === 127))
    return [end.exitCode === 127 ? smiProblem.missing() : smiProblem.notAllowed(path, refused[1] ?? '')];
  const told = readFailures(end.lastLines);
  if (told.length > 0) return told;
  if (end.signal === 'SIGSEGV' || end.signal === 'SIGBUS' || end.signal === 'SIGABRT')
    return [problem.smiCrashed()];
  const text = end.lastLines.trim();
  if (end.exitCode !== 0 && end.exitCode !== null && text !== '')
    return [smiProblem.unknownText(text.slice(0, 200))];
  return [smiProblem.ended(end.signal ?? `exit ${end.exitCode}`)];
}
