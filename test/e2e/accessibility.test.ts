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
      const cut = await app.window.evaluate(whatIsCut);
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
  const moving = await app.window.evaluate('document.getAnimations().length');
  expect(moving).toBe(0);
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

// What runs in the page is text: these tests are checked without the page's types.
const whatIsCut = `(() => {
  const main = document.querySelector('main');
  const isCut = (button) =>
    button.scrollWidth > button.clientWidth + 1 && getComputedStyle(button).overflow === 'hidden';
  return {
    sideways: main.scrollWidth - main.clientWidth,
    buttons: [...document.querySelectorAll('button')].filter(isCut).map((button) => button.textContent.trim()),
  };
})()`;

const whatHasFocus = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return null;
  const style = getComputedStyle(element);
  return {
    place: [...document.querySelectorAll('*')].indexOf(element),
    html: element.outerHTML.slice(0, 120),
    hasSign: style.outlineStyle !== 'none' || style.boxShadow !== 'none',
  };
})()`;

interface Focused {
  /** Its number among all elements. */
  readonly place: number;
  readonly html: string;
  /** An outline or a ring is drawn around it. */
  readonly hasSign: boolean;
}

/** What axe found, one line each: rule, and the first element that broke it. */
async function faults(window: Page): Promise<readonly string[]> {
  await window.evaluate(axeSource);
  const results: AxeResults = await window.evaluate('axe.run()');
  return results.violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
  );
}

/** Presses Tab through the page; the elements that had the focus without an outline or another sign of it. */
async function tabThrough(window: Page): Promise<readonly string[]> {
  const unseen: string[] = [];
  const seen = new Set<number>();
  for (let step = 0; step < 200; step += 1) {
    await window.keyboard.press('Tab');
    const focused: Focused | null = await window.evaluate(whatHasFocus);
    if (focused === null || seen.has(focused.place)) break;
    seen.add(focused.place);
    if (!focused.hasSign) unseen.push(focused.html);
  }
  expect(seen.size).toBeGreaterThan(4);
  return unseen;
}
