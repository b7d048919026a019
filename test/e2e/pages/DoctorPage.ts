import type { Locator, Page } from 'playwright-core';
import { Shell } from './Shell';

/** The place Doctor of the window. */
export class DoctorPage {
  readonly field: Locator;
  readonly report: Locator;
  readonly cause: Locator;
  readonly bar: Locator;
  readonly markedLine: Locator;
  readonly find: Locator;
  readonly failures: Locator;

  constructor(private readonly window: Page) {
    this.field = window.locator('main textarea');
    this.report = window.locator('main section');
    this.cause = this.report.locator('h2');
    this.bar = this.report.getByRole('img');
    this.markedLine = window.locator('main li.failed');
    this.find = window.locator('main [data-filter]');
    this.failures = window.locator('main ul button');
  }

  /** Goes there by its key. */
  async open(): Promise<void> {
    await new Shell(this.window).go('doctor');
  }

  async readText(text: string): Promise<void> {
    await this.field.fill(text);
    await this.window.locator('main .primary-button').click();
    await this.report.waitFor();
  }

  /** Opens a file as the button does; its bytes are read in the page. */
  async openFile(path: string): Promise<void> {
    await this.window.locator('main input[type="file"]').setInputFiles(path);
    await this.report.waitFor();
  }
}
