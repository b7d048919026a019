import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Inter is what the app ships. DejaVu Sans is wider and is what a person may have set in its place. */
export type TestFont = 'Inter' | 'DejaVu Sans';
export const testFonts = ['Inter', 'DejaVu Sans'] as const satisfies readonly TestFont[];

const { resolve } = createRequire(import.meta.url);
const fileOf = (weight: 400 | 700): string =>
  readFileSync(resolve(`@fontsource/dejavu-sans/files/dejavu-sans-latin-${weight}-normal.woff2`), 'base64');

/**
 * Makes a window use a font for its Latin text, with the bytes of a package, so that a test does not depend on what is
 * installed. Waits until text is drawn with it.
 */
export async function useFont(window: Page, font: TestFont): Promise<void> {
  if (font === 'DejaVu Sans') await window.evaluate(loadWide(fileOf(400), fileOf(700)));
  const family = font === 'Inter' ? 'Inter Latin' : 'DejaVu Of Test';
  await expect.poll(() => window.evaluate(isDrawnWith(family))).toBe(true);
}

// What runs in the page is text: these tests are checked without the page's types.
const loadWide = (regular: string, bold: string): string => `(async () => {
  const bytes = (text) => Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  for (const [weight, text] of [['400', '${regular}'], ['700', '${bold}']]) {
    const face = new FontFace('DejaVu Of Test', bytes(text), { weight, unicodeRange: 'U+0000-00FF, U+2000-206F' });
    document.fonts.add(await face.load());
  }
  document.documentElement.style.setProperty('--font', "'DejaVu Of Test', system-ui, sans-serif");
})()`;

const isDrawnWith = (family: string): string => `(() => {
  const loaded = [...document.fonts].some((face) => face.family.includes('${family}') && face.status === 'loaded');
  return loaded && getComputedStyle(document.body).fontFamily.includes('${family}');
})()`;
