/** One run of an outside program with a time limit and an output cap. */
import { startProgram, type ProgramCall } from './programCall';

export interface RunLimits {
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/**
 * How a run ended. `notStarted`: the operating system refused, `code` is its reason (ENOENT, EACCES, …). `timeout` and
 * `flood`: it was killed; it may still be there where it waits inside the driver, and `gone` resolves when it is not.
 */
export type RunResult =
  | {
      readonly kind: 'ended';
      readonly exitCode: number | null;
      readonly signal: NodeJS.Signals | null;
      readonly text: string;
    }
  | { readonly kind: 'notStarted'; readonly code: string }
  | { readonly kind: 'timeout' | 'flood'; readonly pid: number | null; readonly gone: Promise<void> };

/**
 * Runs the program and answers what it printed on both channels together; never rejects. An abort ends it and counts
 * as its time limit.
 */
export function runOnce(
  call: ProgramCall,
  args: readonly string[],
  limits: RunLimits,
  signal: AbortSignal | null = null,
): Promise<RunResult> {
  return new Promise((resolve) => {
    const child = startProgram(call, args);
    const chunks: Buffer[] = [];
    let bytes = 0;
    let settled = false;
    const gone = new Promise<void>((done) => child.once('exit', () => done()));
    const settle = (result: RunResult): void => {
      if (settled) return;
      settled = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      resolve(result);
    };
    const abandon = (kind: 'timeout' | 'flood'): void => {
      child.kill('SIGKILL');
      // A killed wrapper may leave a child that keeps the pipes open.
      child.stdout.destroy();
      child.stderr.destroy();
      settle({ kind, pid: child.pid ?? null, gone });
    };
    const timer = setTimeout(() => abandon('timeout'), limits.timeoutMs);
    const onAbort = (): void => abandon('timeout');
    signal?.addEventListener('abort', onAbort);
    const collect = (chunk: Buffer): void => {
      if (settled) return;
      bytes += chunk.length;
      if (bytes > limits.maxBytes) abandon('flood');
      else chunks.push(chunk);
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.once('error', (error: NodeJS.ErrnoException) =>
      settle({ kind: 'notStarted', code: error.code ?? error.message }),
    );
    child.once('close', (exitCode, signal) =>
      settle({ kind: 'ended', exitCode, signal, text: Buffer.concat(chunks).toString('utf8') }),
    );
  });
}
