import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { places } from '../../shared/alerts/places';
import { valueOf } from './harness/calls';
import { launchApp, type RunningApp } from './harness/launchApp';
import { Shell } from './pages/Shell';
import { WorkstationPage } from './pages/WorkstationPage';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const languages = ['en', 'zh-CN'] as const;

test('axe finds nothing in any view, nor in its colours in the dark', async () => {
  const app = await open({ theme: 'light' });
  const shell = new Shell(app.window);
  for (const place of places) {
    await shell.go(place);
    expect(await faults(app.window), place).toEqual([]);
  }
  await valueOf(app, 'settings.change', { theme: 'dark' });
  await expect.poll(() => app.window.evaluate('document.documentElement.dataset.theme')).toBe('dark');
  for (const place of places) {
    await shell.go(place);
    expect(await faults(app.window, ['color-contrast']), `${place} in the dark`).toEqual([]);
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
    await expect.poll(() => app.window.evaluate<number>('innerWidth')).toBe(640);
    for (const place of places) {
      await new Shell(app.window).go(place);
      const cut = await app.window.evaluate(whatIsCut);
      expect(cut, place).toEqual({ sideways: 0, buttons: [] });
    }
  },
);

test('every control of a view is reached with Tab, and shows where the focus is', async () => {
  const app = await open({});
  for (const place of places) {
    await new Shell(app.window).go(place);
    const unseen = await tabThrough(app.window);
    expect(unseen, place).toEqual([]);
  }
});

test('nothing moves where motion is to be reduced', async () => {
  const { window } = await open({});
  await new Shell(window).go('settings');
  const toggle = window.getByRole('switch').first();
  await window.evaluate(countTransitions);
  const transitions = async (): Promise<number> => {
    const before = await toggle.isChecked();
    await toggle.click();
    await expect.poll(() => toggle.isChecked()).toBe(!before);
    return window.evaluate<number>(transitionsAfterFrames);
  };
  const moved = await transitions();
  expect(moved).toBeGreaterThan(0);
  await window.emulateMedia({ reducedMotion: 'reduce' });
  expect(await transitions()).toBe(moved);
  expect(await window.evaluate('document.getAnimations().length')).toBe(0);
});

interface Wanted {
  readonly theme?: 'light' | 'dark';
  readonly locale?: (typeof languages)[number];
  readonly scene?: string;
}

async function open(wanted: Wanted): Promise<RunningApp> {
  const app = await launchApp({ scene: 'orphaned-ranks', ...wanted });
  await new WorkstationPage(app.window, wanted.locale).waitForCards();
  return app;
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

const countTransitions =
  "globalThis.transitions = 0; document.addEventListener('transitionrun', () => void (globalThis.transitions += 1))";
/** A transition is told with the frame that begins it. */
const transitionsAfterFrames = `new Promise((resolve) =>
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(globalThis.transitions)))))`;

const beginReaching = 'globalThis.reached = new WeakSet(); undefined';
const whatHasFocus = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body || globalThis.reached.has(element)) return null;
  globalThis.reached.add(element);
  const style = getComputedStyle(element);
  return {
    html: element.outerHTML.slice(0, 120),
    hasSign: style.outlineStyle !== 'none' || style.boxShadow !== 'none',
  };
})()`;

interface Focused {
  readonly html: string;
  /** An outline or a ring is drawn around it. */
  readonly hasSign: boolean;
}

/** What axe found by these rules, by all where none is named, one line each: rule, and the elements that broke it. */
async function faults(window: Page, rules: readonly string[] = []): Promise<readonly string[]> {
  await window.evaluate(axeSource);
  const options = rules.length === 0 ? '{}' : JSON.stringify({ runOnly: rules });
  const results: AxeResults = await window.evaluate(`axe.run(${options})`);
  return results.violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
  );
}

/** Presses Tab through the page; the elements that had the focus without an outline or another sign of it. */
async function tabThrough(window: Page): Promise<readonly string[]> {
  const reached: Focused[] = [];
  await window.evaluate(beginReaching);
  for (let step = 0; step < 200; step += 1) {
    await window.keyboard.press('Tab');
    const focused: Focused | null = await window.evaluate(whatHasFocus);
    if (focused === null) break;
    reached.push(focused);
  }
  expect(reached.length).toBeGreaterThan(4);
  return reached.filter(({ hasSign }) => !hasSign).map(({ html }) => html);
}
