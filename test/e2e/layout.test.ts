import { expect, test } from 'vitest';
import { places } from '../../shared/alerts/places';
import { locales } from '../../shared/i18n/translate';
import { valueOf } from './harness/calls';
import { whatIsCutOff } from './harness/cutOff';
import { testFonts, useFont, type TestFont } from './harness/fonts';
import { launchApp, type RunningApp } from './harness/launchApp';
import { Shell } from './pages/Shell';
import { WorkstationPage } from './pages/WorkstationPage';

/** From the smallest window to a large screen; the layout changes between 1099 and 1100. */
const everyWidth = [...range(900, 1920, 30), 1099, 1101, 1110];
const someWidths = [900, 1000, 1099, 1100, 1280, 1920];

test.each(testFonts)('sixteen cards fit at every width, in both languages: %s', async (font) => {
  const app = await open('sixteen-cards', font);
  for (const language of locales) {
    await speak(app, language);
    for (const width of everyWidth) await expectNothingCutOff(app, width, `${language} ${width}`);
  }
});

test.each(testFonts)('cards, jobs and charts of every kind fit in both languages: %s', async (font) => {
  const app = await open('two-3090-oom', font);
  for (const language of locales) {
    await speak(app, language);
    for (const scene of ['eight-healthy', 'orphaned-ranks', 'mig', 'dataparallel-imbalance']) {
      await new WorkstationPage(app.window, language).chooseScene(scene);
      await expect.poll(() => app.window.evaluate(sceneShown)).toBe(scene);
      for (const width of someWidths) await expectNothingCutOff(app, width, `${scene} ${language} ${width}`);
    }
  }
});

test.each(testFonts)('every view fits in both languages: %s', async (font) => {
  const app = await open('sixteen-cards', font);
  for (const language of locales) {
    await speak(app, language);
    for (const place of places) {
      await new Shell(app.window).go(place);
      for (const width of someWidths) await expectNothingCutOff(app, width, `${place} ${language} ${width}`);
    }
  }
});

async function open(scene: string, font: TestFont): Promise<RunningApp> {
  const app = await launchApp({ scene });
  await new WorkstationPage(app.window).waitForCards();
  await useFont(app.window, font);
  return app;
}

async function speak(app: RunningApp, language: (typeof locales)[number]): Promise<void> {
  await valueOf(app, 'settings.change', { language });
  await expect.poll(() => app.window.evaluate('document.documentElement.lang')).toBe(language);
}

/** Charts follow a new width a frame later. */
async function expectNothingCutOff({ window }: RunningApp, width: number, where: string): Promise<void> {
  await window.setViewportSize({ width, height: 800 });
  await expect.poll(() => whatIsCutOff(window), { message: where, interval: 100 }).toEqual([]);
}

function range(from: number, to: number, step: number): readonly number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, index) => from + index * step);
}

const sceneShown = 'document.querySelector("header select")?.value';
