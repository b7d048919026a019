import { vi } from 'vitest';

/** The parts of a browser that jsdom lacks and the page uses. */
export interface FakeViewport {
  readonly narrow?: boolean;
  readonly low?: boolean;
  readonly dark?: boolean;
}

export function installBrowser(viewport: FakeViewport = {}): void {
  vi.stubGlobal('matchMedia', (query: string) => {
    const matches =
      (query.includes('max-width') && viewport.narrow === true) ||
      (query.includes('max-height') && viewport.low === true) ||
      (query.includes('prefers-color-scheme') && viewport.dark === true);
    return Object.assign(new EventTarget(), { matches, media: query, onchange: null });
  });
  vi.stubGlobal(
    'ResizeObserver',
    class {
      observe(): void {
        // Nothing has a size in jsdom, so nothing is ever told.
      }
      unobserve(): void {
        // See observe.
      }
      disconnect(): void {
        // See observe.
      }
    },
  );
  vi.stubGlobal('requestIdleCallback', () => 0); // Never idle: tests load what they need.
  vi.stubGlobal('cancelIdleCallback', () => undefined);
  // Without a 2d context the chart's words remain, which is what these tests read; end-to-end tests see it drawn.
  HTMLCanvasElement.prototype.getContext = () => null;
  HTMLDialogElement.prototype.showModal = function showModal(this: HTMLDialogElement) {
    this.open = true;
  };
  HTMLDialogElement.prototype.close = function close(this: HTMLDialogElement) {
    this.open = false;
    this.dispatchEvent(new Event('close'));
  };
}
