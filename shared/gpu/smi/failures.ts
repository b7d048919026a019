/**
 * What nvidia-smi (and the shell or container runtime around it) prints instead of data. Texts are matched as they
 * were seen in the wild: with and without a space after `GPU`, one or two spaces between sentences, straight and
 * curly quotes.
 */
import { failureGrammars, failureHint } from './failureGrammars';
import { machineProblem, uniqueProblems } from '../problems';
import type { Problem } from '../types';

/** A failure is a short line; longer ones are data. */
const longestFailureLine = 1000;

/** The Problem that one line tells, or null where it tells none. Lines over 1,000 characters tell none. */
export function readFailure(line: string): Problem | null {
  if (line.length > longestFailureLine || !failureHint.test(line)) return null;
  for (const { pattern, read } of failureGrammars) {
    const match = pattern.exec(line);
    if (match !== null) return read(match);
  }
  return null;
}

/**
 * All failures in a text, each once; empty where there is none. A short text that a console has wrapped is read again
 * as one line. The library version that newer drivers print below a mismatch becomes part of it.
 */
export function readFailures(text: string): Problem[] {
  const problems = text.split('\n').flatMap((line) => readFailure(line.trim()) ?? []);
  if (text.length <= longestFailureLine) {
    const joined = readFailure(text.replace(/\s+/g, ' ').trim());
    if (joined !== null && isMorePrecise(joined, problems)) problems.splice(0, problems.length, joined);
  }
  const version = /NVML library version:\s*([\d.]{1,30})/i.exec(text)?.[1] ?? null;
  return uniqueProblems(problems).map((found) =>
    found.code === 'driver-mismatch' && version !== null ? machineProblem('driver-mismatch', version) : found,
  );
}

/** A message wrapped in its middle reads as nothing, or as a card that cannot be reached for an unknown reason. */
function isMorePrecise(joined: Problem, problems: readonly Problem[]): boolean {
  const [only] = problems;
  if (only === undefined) return true;
  return problems.length === 1 && only.code === 'card-unreachable' && joined.code !== only.code;
}
