import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { places, type Place } from '../../shared/contract/places';
import { launchApp, type RunningApp } from './harness/launchApp';
import { WorkstationPage } from './pages/WorkstationPage';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const themes = ['light', 'dark'] as const;
const languages = ['en', 'zh-CN'] as const;

const keyOf: Readonly<Record<Place, string>> = {
  workstation: '1',
  plan: '2',
  doctor: '3',
  check: '4',
  settings: '5',
};

test.each(themes)('axe finds nothing in any view in the %s theme', async (theme) => {
  const app = await open({ theme });
  for (const place of places) {
    await go(app.window, place);
    expect(await faults(app.window), place).toEqual([]);
  }
});

test('axe finds nothing in the dialogs, in the set-up of a first start and with sixteen cards', async () => {
  const app = await open({ scene: 'sixteen-cards' });
  expect(await faults(app.window), 'sixteen cards').toEqual([]);
  await app.window.keyboard.press('?');
  await app.window.getByRole('dialog').waitFor();
  expect(await faults(app.window), 'keys').toEqual([]);

  const first = await launchApp({ settings: { firstRunDone: false } });
  await first.window.getByRole('heading').first().waitFor();
  expect(await faults(first.window), 'first start').toEqual([]);
});

test.each(languages)(
  'no view scrolls sideways or cuts a button at 200 percent in 1280 x 800: %s',
  async (locale) => {
    const app = await open({ locale });
    await app.electron.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.webContents.setZoomFactor(2),
    );
    for (const place of places) {
      await go(app.window, place);
      const cut = await app.window.evaluate(() => {
        const main = document.querySelector('main');
        const buttons = [...document.querySelectorAll('button')].filter(
          (button) =>
            button.scrollWidth > button.clientWidth + 1 && getComputedStyle(button).overflow === 'hidden',
        );
        return {
          sideways: (main?.scrollWidth ?? 0) - (main?.clientWidth ?? 0),
          buttons: buttons.map((button) => button.textContent.trim()),
        };
      });
      expect(cut, place).toEqual({ sideways: 0, buttons: [] });
    }
  },
);

test('every control of a view is reached with Tab, and shows where the focus is', async () => {
  const app = await open({});
  for (const place of places) {
    await go(app.window, place);
    const unseen = await tabThrough(app.window);
    expect(unseen, place).toEqual([]);
  }
});

test('nothing moves where motion is to be reduced', async () => {
  const app = await open({});
  await app.window.emulateMedia({ reducedMotion: 'reduce' });
  const moving = await app.window.evaluate(() =>
    document.getAnimations().map((animation) => (animation.effect as KeyframeEffect).target?.className ?? ''),
  );
  expect(moving).toEqual([]);
});

interface Wanted {
  readonly theme?: (typeof themes)[number];
  readonly locale?: (typeof languages)[number];
  readonly scene?: string;
}

async function open(wanted: Wanted): Promise<RunningApp> {
  const app = await launchApp({ scene: 'orphaned-ranks', ...wanted });
  await new WorkstationPage(app.window, wanted.locale).waitForCards();
  return app;
}

async function go(window: Page, place: Place): Promise<void> {
  await window.locator('body').click({ position: { x: 1, y: 1 } });
  await window.keyboard.press(keyOf[place]);
  await window.locator('nav [aria-current="page"]').waitFor();
  await window.waitForTimeout(300);
}

/** What axe found, one line each: rule, and the first element that broke it. */
async function faults(window: Page): Promise<readonly string[]> {
  await window.evaluate(axeSource);
  const results = await window.evaluate(() =>
    (globalThis as unknown as { axe: { run: () => Promise<AxeResults> } }).axe.run(),
  );
  return results.violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
  );
}

/** Presses Tab through the page; the elements that had the focus without an outline or another sign of it. */
async function tabThrough(window: Page): Promise<readonly string[]> {
  const unseen: string[] = [];
  const seen = new Set<string>();
  for (let step = 0; step < 200; step += 1) {
    await window.keyboard.press('Tab');
    const focused = await window.evaluate(() => {
      const element = document.activeElement;
      if (element === null || element === document.body) return null;
      const style = getComputedStyle(element);
      const hasSign =
        style.outlineStyle !== 'none' || style.boxShadow !== 'none' || element.tagName === 'IFRAME';
      const index = [...document.querySelectorAll('*')].indexOf(element);
      return { key: String(index), html: element.outerHTML.slice(0, 120), hasSign };
    });
    if (focused === null || seen.has(focused.key)) break;
    seen.add(focused.key);
    if (!focused.hasSign) unseen.push(focused.html);
  }
  expect(seen.size).toBeGreaterThan(4);
  return unseen;
}
