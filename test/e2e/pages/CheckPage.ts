import type { Locator, Page } from 'playwright-core';
import { TextPlacePage } from './TextPlacePage';

/** The place Check of the window. */
export class CheckPage extends TextPlacePage {
  readonly findings: Locator;

  constructor(window: Page) {
    // The source that was checked, beside what was found in it.
    super(window, 'check', window.getByRole('region').first());
    this.findings = window.locator('main ul button');
  }
}
