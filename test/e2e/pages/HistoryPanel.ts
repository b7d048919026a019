import type { Locator, Page } from 'playwright-core';
import { message } from '../../../shared/i18n/message';
import { translate } from '../../../shared/i18n/translate';

type Word = 'history' | 'range' | 'display' | 'asChart' | 'asTable' | 'fiveMinutes' | 'hour' | 'day';
const words = (word: Word): string => translate('en', message(`workstation.${word}`));

/** The charts of memory over time in the Workstation, in an English window. */
export class HistoryPanel {
  constructor(private readonly window: Page) {}

  get section(): Locator {
    return this.window.getByRole('region', { name: words('history') });
  }

  /** What each chart tells those who do not see it. */
  async summaries(): Promise<readonly string[]> {
    const charts = await this.section.getByRole('img').all();
    return Promise.all(charts.map(async (chart) => (await chart.getAttribute('aria-label')) ?? ''));
  }

  async chooseRange(range: 'fiveMinutes' | 'hour' | 'day'): Promise<void> {
    await this.section.getByRole('radio', { name: words(range), exact: true }).check({ force: true });
  }

  async showAs(display: 'asChart' | 'asTable'): Promise<void> {
    await this.section.getByRole('radio', { name: words(display), exact: true }).check({ force: true });
  }

  /** A card's past as the table tells it: marks and readings. */
  async tableText(card: string): Promise<string> {
    const text = await this.section.getByRole('region', { name: card }).innerText();
    return text.replace(/\s+/g, ' ');
  }

  /** How many colours each chart is painted with; one that stays empty or black has none. */
  colours(): Promise<readonly number[]> {
    return this.window.evaluate(`[...document.querySelectorAll('figure canvas')].map((canvas) => {
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      const seen = new Set();
      for (let at = 0; at < data.length; at += 4) {
        if (data[at + 3] > 150) seen.add((data[at] << 16) | (data[at + 1] << 8) | data[at + 2]);
      }
      seen.delete(0);
      return seen.size;
    })`);
  }
}
