import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';

const styles = path.resolve('renderer/styles/tokens.css');
const css = readFileSync(styles, 'utf8');

/** The colours of one theme: the first block is light, the one that names the dark theme overrides it. */
function tokens(theme: 'light' | 'dark'): Map<string, string> {
  const start = theme === 'light' ? css.indexOf(':root {') : css.indexOf(":root[data-theme='dark'] {");
  const block = css.slice(start, css.indexOf('\n}', start));
  return new Map(
    [...block.matchAll(/(--[\w-]+): (#[0-9a-f]{6});/g)].map(([, name = '', value = '']) => [name, value]),
  );
}

/** Relative luminance of `#rrggbb` (WCAG 2.2, https://www.w3.org/TR/WCAG22/#dfn-relative-luminance). */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5]
    .map((at) => Number.parseInt(colour.slice(at, at + 2), 16) / 255)
    .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(a: string, b: string): number {
  const [dark = 0, light = 0] = [luminance(a), luminance(b)].sort((one, two) => one - two);
  return (light + 0.05) / (dark + 0.05);
}

const surfaces = ['--canvas', '--surface', '--raised', '--hover', '--selected', '--rail'];
const pairs = {
  text: {
    least: 4.5,
    list: [
      ...surfaces.flatMap((surface) => [
        ['--text', surface],
        ['--text-muted', surface],
        ['--accent', surface],
      ]),
      ['--on-accent', '--accent'],
      ['--on-accent', '--accent-hover'],
      ['--warning', '--surface'],
      ['--warning', '--canvas'],
      ['--text', '--warning-surface'],
      ['--text-muted', '--warning-surface'],
      ['--critical', '--surface'],
      ['--critical', '--rail'],
      ['--text', '--critical-surface'],
    ],
  },
  shape: {
    least: 3,
    list: [
      ...[0, 1, 2, 3, 4, 5, 6].flatMap((job) => [
        [`--job-${job}`, '--bar-track'],
        [`--job-${job}`, '--surface'],
        [`--job-${job}`, '--canvas'],
      ]),
      ['--bar-other', '--bar-track'],
      ['--bar-desktop', '--bar-track'],
      ['--bar-edge', '--bar-track'],
      ['--bar-edge', '--surface'],
      ['--line-strong', '--surface'],
      ['--line-strong', '--canvas'],
      ['--good', '--surface'],
    ],
  },
} as const;

for (const theme of ['light', 'dark'] as const) {
  for (const [kind, { least, list }] of Object.entries(pairs)) {
    test(`${theme}: every ${kind} stands out at ${least}:1`, () => {
      const colours = tokens(theme);
      const faint = list.flatMap(([front = '', back = '']) => {
        const ratio = contrast(colours.get(front) ?? '#000000', colours.get(back) ?? '#000000');
        return ratio < least ? [`${front} on ${back}: ${ratio.toFixed(2)}`] : [];
      });
      expect(faint).toEqual([]);
    });
  }
}

test('both themes name the same colours', () => {
  expect([...tokens('dark').keys()].sort()).toEqual([...tokens('light').keys()].sort());
});
