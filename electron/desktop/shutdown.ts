import type { App } from 'electron';
import type { Log } from '../storage/log';

/** Longer than any step needs; a stuck one must not keep the app from ending. */
const patienceMs = 3_000;

/**
 * Lets every step finish before the app ends, however it was asked to: children are gone, settings are on disk. Steps
 * run side by side; a step that fails or takes too long is written to the log and left.
 */
export function finishBeforeQuit(
  app: Pick<App, 'on' | 'exit'>,
  steps: readonly (() => Promise<unknown>)[],
  log: Log,
): void {
  let ending = false;
  app.on('will-quit', (event) => {
    event.preventDefault();
    if (ending) return;
    ending = true;
    void finish(steps, log).then(() => app.exit(0));
  });
}

async function finish(steps: readonly (() => Promise<unknown>)[], log: Log): Promise<void> {
  const all = Promise.allSettled(steps.map((step) => step()));
  const late = new Promise<'late'>((resolve) => setTimeout(resolve, patienceMs, 'late'));
  const outcome = await Promise.race([all, late]);
  if (outcome === 'late') {
    log.warn('Ending took too long; what was left is dropped.');
    return;
  }
  for (const result of outcome)
    if (result.status === 'rejected') log.warn('A step of ending failed.', result.reason);
}
