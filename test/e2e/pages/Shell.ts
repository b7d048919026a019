import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Place } from '../../../shared/alerts/places';

const keyOf: Readonly<Record<Place, string>> = {
  workstation: '1',
  plan: '2',
  doctor: '3',
  check: '4',
  settings: '5',
};

/** The frame around the places of the window, as the keyboard knows it. */
export class Shell {
  constructor(private readonly window: Page) {}

  /** Goes to a place by its key, wherever the focus is, and waits until the page shows it. */
  async go(place: Place): Promise<void> {
    await this.window.evaluate('document.activeElement?.blur()');
    await this.window.keyboard.press(keyOf[place]);
    await this.shows(place);
  }

  /** Waits until the page shows a place; what is pressed before acts on the place before. */
  async shows(place: Place): Promise<void> {
    await this.window.locator(`main[data-place="${place}"]`).waitFor();
  }

  /** The words on what has the focus: its label, else its text, else its name; '' where nothing in the place has it. */
  async focused(): Promise<string> {
    return await this.window.evaluate(whatHasFocus);
  }

  /** Presses a key that moves the focus, and waits until it is where it should be: the next key goes there. */
  async pressTo(key: string, wanted: RegExp): Promise<void> {
    await this.window.keyboard.press(key);
    await expect.poll(() => this.focused()).toMatch(wanted);
  }

  /** Presses Tab until it comes to what is wanted. */
  async tabTo(wanted: RegExp): Promise<void> {
    for (let presses = 0; presses < 80; presses += 1) {
      if (wanted.test(await this.focused())) return;
      await this.window.keyboard.press('Tab');
    }
    throw new Error(`Tab never reaches ${String(wanted)}`);
  }
}

// What runs in the page is text: these tests are checked without the page's types.
const whatHasFocus = `(() => {
  const element = document.activeElement?.closest('main *');
  if (!element) return '';
  const text = element.labels?.[0]?.textContent || element.textContent || element.getAttribute('aria-label') || '';
  return text.replace(/\\s+/g, ' ').trim();
})()`;
