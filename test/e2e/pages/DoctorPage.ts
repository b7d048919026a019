import type { Locator, Page } from 'playwright-core';
import { TextPlacePage } from './TextPlacePage';

/** The place Doctor of the window. */
export class DoctorPage extends TextPlacePage {
  readonly report: Locator;
  readonly cause: Locator;
  readonly bar: Locator;
  readonly markedLine: Locator;

  constructor(window: Page) {
    const report = window.locator('main section');
    super(window, 'doctor', report);
    this.report = report;
    this.cause = report.locator('h2');
    this.bar = report.getByRole('img');
    this.markedLine = window.locator('main li.failed');
  }
}
