import { MediaQuery } from 'svelte/reactivity';

/** What the window's size and the system's wishes ask of the layout. */
export class Viewport {
  readonly #narrow = new MediaQuery('(max-width: 1099px)', false);
  readonly #low = new MediaQuery('(max-height: 699px)', false);
  readonly #dark = new MediaQuery('(prefers-color-scheme: dark)', false);

  /** The rail shows icons only and the host panel moves under a tab. */
  get compact(): boolean {
    return this.#narrow.current || this.#low.current;
  }

  get narrow(): boolean {
    return this.#narrow.current;
  }

  get systemDark(): boolean {
    return this.#dark.current;
  }
}
