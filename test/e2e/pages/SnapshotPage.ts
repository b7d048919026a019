import type { Locator, Page } from 'playwright-core';
import { Shell } from './Shell';

/** A memory snapshot in the place Doctor of the window. */
export class SnapshotPage {
  readonly notice: Locator;
  readonly chart: Locator;
  readonly cursor: Locator;
  readonly rows: Locator;
  readonly refusal: Locator;

  constructor(private readonly window: Page) {
    const main = window.locator('main');
    this.notice = main.locator('.notice');
    this.chart = main.getByRole('img', { name: /^Allocated memory/ });
    this.cursor = main.getByRole('slider');
    this.rows = main.getByRole('region').locator('tbody tr');
    this.refusal = main.getByRole('alert');
  }

  async open(): Promise<void> {
    await new Shell(this.window).go('doctor');
  }

  /** Opens a file as the button does; its bytes are read in the page's worker. */
  async openFile(path: string): Promise<void> {
    await this.window.locator('main input[type="file"]').setInputFiles(path);
  }
}
