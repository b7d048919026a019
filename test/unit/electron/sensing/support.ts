/** Real child processes for tests: small Node programs in the place of nvidia-smi. */
import { readFileSync, rmSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { ProgramCall } from '../../../../electron/programs/programCall';

/** A program whose text is `script`; it finds its arguments from `process.argv[1]` on. */
export function nodeProgram(script: string, environment: Readonly<Record<string, string>> = {}): ProgramCall {
  return { command: process.execPath, leadingArguments: ['-e', script, '--'], environment };
}

/** Waits for a condition; fails the test with `what` when it does not come, for which a busy machine has long time. */
export async function until(what: string, isTrue: () => boolean, withinMs = 60_000): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!isTrue()) {
    if (Date.now() > deadline) throw new Error(`waited ${withinMs} ms in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Whether a process of that number runs; one that has ended and is not yet noticed does not. */
export function isRunning(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.charAt(stat.lastIndexOf(')') + 2) !== 'Z';
  } catch {
    return false; // No such process.
  }
}

/** A folder of this test's own, removed after it. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'headroom-test-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }));
  return folder;
}
