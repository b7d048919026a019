import type { Bridge } from '../../shared/contract/bridge';
import { ask } from './calls';

/** Writes one error of the page to main's log, shortened to what the contract takes. */
export function reportError(bridge: Bridge, error: unknown): void {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const stack = error instanceof Error ? (error.stack ?? null) : null;
  void ask(bridge, 'log.rendererError', {
    text: text.slice(0, 4_000),
    stack: stack === null ? null : stack.slice(0, 16_000),
  });
}

/** Sends every error that nothing caught to main's log. */
export function reportErrors(bridge: Bridge): void {
  window.addEventListener('error', (event) => reportError(bridge, event.error ?? event.message));
  window.addEventListener('unhandledrejection', (event) => reportError(bridge, event.reason));
}
