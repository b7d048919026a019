import type { Locator, Page } from 'playwright-core';
import type { Place } from '../../../shared/alerts/places';
import { Shell } from './Shell';

/** A place of the window that takes a text and shows what it makes of it. */
export class TextPlacePage {
  readonly field: Locator;

  constructor(
    protected readonly window: Page,
    private readonly place: Place,
    private readonly result: Locator,
  ) {
    this.field = window.locator('main textarea');
  }

  /** Goes there by its key. */
  async open(): Promise<void> {
    await new Shell(this.window).go(this.place);
  }

  async submit(text: string): Promise<void> {
    await this.field.fill(text);
    await this.window.locator('main .primary-button').click();
    await this.result.waitFor();
  }

  /** Opens a file as the button does; its bytes are read in the page. */
  async openFile(path: string): Promise<void> {
    await this.window.locator('main input[type="file"]').setInputFiles(path);
    await this.result.waitFor();
  }
}
