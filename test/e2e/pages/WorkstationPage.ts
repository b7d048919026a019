import type { Locator, Page } from 'playwright-core';
import { translate, type Locale } from '../../../shared/i18n/translate';
import { message } from '../../../shared/i18n/message';

/** The Workstation, its parts found by role and name in the language of the window. */
export class WorkstationPage {
  constructor(
    private readonly window: Page,
    private readonly locale: Locale = 'en',
  ) {}

  /** Waits until the readings of a card are shown. */
  async waitForCards(): Promise<void> {
    await this.cardRow(0).waitFor();
  }

  cardRow(gpuIndex: number): Locator {
    return this.window.locator(`tr[data-gpu="${gpuIndex}"]`);
  }

  /** How many cards are listed. */
  cardCount(): Promise<number> {
    return this.window.locator('tr[data-gpu]').count();
  }

  /** What the bar of a card tells those who do not see it. */
  async barText(gpuIndex: number): Promise<string> {
    return (await this.cardRow(gpuIndex).getByRole('img').first().getAttribute('aria-label')) ?? '';
  }

  /** The figures of a card from left to right: memory, utilisation, temperature, power. */
  figures(gpuIndex: number): Promise<readonly string[]> {
    return textsOf(this.cardRow(gpuIndex).locator('td.number'));
  }

  /** The MIG slices of a card, each as one line. */
  slices(gpuIndex: number): Promise<readonly string[]> {
    return textsOf(this.cardRow(gpuIndex).locator('ul[aria-label] > li:has([role="img"])'));
  }

  /** Plays another scene, chosen in the header line. */
  async chooseScene(sceneId: string): Promise<void> {
    await this.window
      .getByRole('combobox', { name: this.words('workstation.chooseScene') })
      .selectOption(sceneId);
  }

  /** The cells of the row of a job or of one of its processes. */
  cellsOfRow(name: RegExp): Promise<readonly string[]> {
    const table = this.window.getByRole('treegrid', { name: this.words('workstation.jobTable') });
    return textsOf(table.getByRole('row', { name }).first().getByRole('gridcell'));
  }

  /** The row of a job or of one of its processes. */
  row(name: RegExp): Locator {
    const table = this.window.getByRole('treegrid', { name: this.words('workstation.jobTable') });
    return table.getByRole('row', { name }).first();
  }

  /** The button that frees the memory of a job, while it is offered. */
  freeButton(job: RegExp): Locator {
    return this.row(job).locator('td:last-child').getByRole('button');
  }

  /** The reasons that are told of jobs that may be leftovers. */
  reasonsOf(): Promise<readonly string[]> {
    return textsOf(this.window.locator('[data-sign]'));
  }

  /** What is told of jobs that are being freed or were. */
  get freeing(): Locator {
    return this.window.locator('[role="status"].notices');
  }

  /** The trouble that stands in the place of the cards, or above them. */
  get trouble(): Locator {
    return this.window.getByRole('region', { name: this.words('workstation.trouble') });
  }

  /** Whether all of a part is within the window as it is scrolled now. */
  async isInSight(part: Locator): Promise<boolean> {
    const box = await part.boundingBox();
    const height: number = await this.window.evaluate('window.innerHeight');
    return box !== null && box.y >= 0 && box.y + box.height <= height;
  }

  /** Whether something is wider than the window, so that a part of it cannot be seen. */
  isCutOff(): Promise<boolean> {
    return this.window.evaluate('document.documentElement.scrollWidth > window.innerWidth');
  }

  private words(key: 'workstation.jobTable' | 'workstation.trouble' | 'workstation.chooseScene'): string {
    return translate(this.locale, message(key));
  }
}

async function textsOf(parts: Locator): Promise<readonly string[]> {
  const texts = await parts.allInnerTexts();
  return texts.map((text) => text.replace(/\s+/g, ' ').trim());
}
