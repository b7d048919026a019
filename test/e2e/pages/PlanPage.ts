import type { Locator, Page } from 'playwright-core';
import { catalogue as english } from '../../../shared/i18n/en';
import { translate, type Locale } from '../../../shared/i18n/translate';
import { message } from '../../../shared/i18n/message';
import { Shell } from './Shell';

type StepName = 'model' | 'cards' | 'data' | 'method' | 'plan' | 'files';

/** The place Plan of the window. */
export class PlanPage {
  readonly grid: Locator;
  readonly rows: Locator;
  /** How far the planning is. */
  readonly status: Locator;
  readonly refused: Locator;
  readonly chosen: Locator;

  constructor(
    readonly window: Page,
    private readonly locale: Locale = 'en',
  ) {
    this.grid = window.getByRole('grid', { name: this.say('plans') });
    this.rows = this.grid.locator('[data-key]');
    this.status = window.locator('main .progress');
    this.refused = window.getByRole('list', { name: this.say('refused') });
    this.chosen = window.getByRole('region', { name: this.say('chosenPlan') });
  }

  /** Goes there by its key. */
  async open(): Promise<void> {
    await new Shell(this.window).go('plan');
  }

  step(name: StepName): Locator {
    return this.window.locator(`[data-step="${name}"]`);
  }

  /** Opens a step in place, whether or not it is open already. */
  async openStep(name: StepName): Promise<void> {
    if ((await this.step(name).getAttribute('aria-expanded')) !== 'true') await this.step(name).click();
  }

  /** Waits until the plans of the answers on show are there. */
  async planned(): Promise<void> {
    const { ready } = english.plan;
    const words = new RegExp(
      [ready.one, ready.other, english.plan.readyNone].join('|').replaceAll('{count}', '\\d+'),
    );
    await this.status.filter({ hasText: this.locale === 'en' ? words : /方案\s*$/ }).waitFor();
  }

  /** Shows a part of the chosen plan. */
  async showPart(name: 'Step' | 'Compare' | 'Changes' | 'Files' | 'Runs'): Promise<void> {
    const tab = translate(this.locale, message(`plan.part${name}`));
    await this.window.getByRole('tab', { name: tab, exact: true }).first().click();
  }

  async chooseModel(search: string): Promise<void> {
    await this.openStep('model');
    const field = this.window.locator('main [data-filter]');
    await field.fill(search);
    await this.window
      .locator('main [data-step="model"] >> xpath=ancestor::section')
      .locator('li button')
      .first()
      .click();
  }

  /** Answers the first three steps: the model that a search finds first, on whole cards, with samples so long. */
  async answer(model: string, tokens: number): Promise<void> {
    await this.chooseModel(model);
    await this.openStep('cards');
    await this.pick('Whole card');
    await this.openStep('data');
    await this.field('Tokens of a sample').fill(String(tokens));
  }

  /** A choice of a few that are all in sight. */
  async pick(name: string): Promise<void> {
    await this.window
      .locator('main label')
      .filter({ hasText: new RegExp(`^\\s*${name}\\s*$`) })
      .click();
  }

  field(name: string): Locator {
    return this.window.getByLabel(name, { exact: true });
  }

  row(name: RegExp): Locator {
    return this.rows.filter({ hasText: name });
  }

  async openRefused(): Promise<void> {
    const details = this.window.locator('main details').filter({ has: this.refused });
    const all = this.window.locator('main details > summary').first();
    if ((await details.count()) === 0 || (await details.getAttribute('open')) === null) await all.click();
  }

  private say(key: 'plans' | 'refused' | 'chosenPlan'): string {
    return translate(this.locale, message(`plan.${key}`));
  }
}
