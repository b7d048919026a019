import type { Locator, Page } from 'playwright-core';

/** What every place of the app has. A page object of one place extends it. */
export class AppPage {
  constructor(protected readonly window: Page) {}

  /** The current text of a part of the window, for comparing in one go. */
  async textOf(part: Locator): Promise<string> {
    return (await part.innerText()).replace(/\s+/g, ' ').trim();
  }

  /** Presses a key of the window, as `?` or `Control+Comma`. */
  async press(key: string): Promise<void> {
    await this.window.keyboard.press(key);
  }
}
