import type { Locator, Page } from 'playwright-core';
import { Shell } from './Shell';

/** The place Check of the window. */
export class CheckPage {
  readonly field: Locator;
  readonly findings: Locator;
  readonly source: Locator;

  constructor(private readonly window: Page) {
    this.field = window.locator('main textarea');
    this.findings = window.locator('main ul button');
    this.source = window.getByRole('region').first();
  }

  /** Goes there by its key. */
  async open(): Promise<void> {
    await new Shell(this.window).go('check');
  }

  async checkText(text: string): Promise<void> {
    await this.field.fill(text);
    await this.window.locator('main .primary-button').click();
    await this.source.waitFor();
  }
}
