import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digitBars } from '../../../../../electron/desktop/tray/digits';
import { drawIcon, type TrayFace } from '../../../../../electron/desktop/tray/drawIcon';
import { toBitmap, type Picture } from '../../../../../electron/desktop/tray/picture';

type Rgb = readonly [number, number, number];

function pixel({ width, pixels }: Picture, x: number, y: number): Rgb & { readonly length: 3 } {
  const at = (y * width + x) * 4;
  return [pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0];
}

/** Relative luminance and contrast: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
function contrast(a: Rgb, b: Rgb): number {
  const light = (colour: Rgb): number => {
    const [r = 0, g = 0, bl = 0] = colour.map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * bl;
  };
  const [high, low] = [light(a), light(b)].sort((left, right) => right - left);
  return ((high ?? 0) + 0.05) / ((low ?? 0) + 0.05);
}

const white: Rgb = [255, 255, 255];

/** How many rows of the column beside the number are filled. */
function filledRows(face: TrayFace, size: number): number {
  const picture = drawIcon(face, size);
  const column = Math.max(1, Math.round(size / 20));
  const track = pixel(
    drawIcon({ percent: null, level: 'unknown' }, size),
    column,
    Math.floor(size / 2),
  ).join();
  let rows = 0;
  for (let y = Math.ceil(size * 0.25); y < size * 0.75; y += 1)
    if (pixel(picture, column, y).join() !== track) rows += 1;
  return rows;
}

describe.each([16, 22, 32, 44])('the icon at %i pixels', (size) => {
  it('has clear corners and a solid middle', () => {
    const { pixels, width, height } = drawIcon({ percent: 67, level: 'good' }, size);
    expect([width, height, pixels.length]).toEqual([size, size, size * size * 4]);
    expect(pixels[3]).toBe(0);
    expect(pixels[((size / 2) * size + size / 2) * 4 + 3]).toBe(255);
  });

  it('is filled higher the fuller the card is', () => {
    const rows = [0, 30, 50, 70, 100].map((percent) => filledRows({ percent, level: 'good' }, size));
    expect(rows).toEqual([...rows].sort((a, b) => a - b));
    expect(rows.at(-1)).toBe(Math.ceil(size * 0.75) - Math.ceil(size * 0.25));
    expect(rows[0]).toBe(0);
  });

  it('differs for every whole percent and level', () => {
    const faces = Array.from({ length: 101 }, (_, percent) => ({ percent, level: 'good' as const }));
    const drawn = faces.map((face) => Buffer.from(drawIcon(face, size).pixels).toString('base64'));
    expect(new Set(drawn).size).toBe(101);
    const levels = (['unknown', 'good', 'warning', 'critical'] as const).map((level) =>
      Buffer.from(drawIcon({ percent: 50, level }, size).pixels).toString('base64'),
    );
    expect(new Set(levels).size).toBe(4);
  });

  it('writes the number in white at 4.5:1 on every ground', () => {
    for (const level of ['good', 'warning', 'critical', 'unknown'] as const)
      for (const percent of [0, 88, 100]) {
        const picture = drawIcon({ percent, level }, size);
        const ground = pixel(picture, Math.max(1, Math.round(size / 20)), Math.floor(size / 2));
        expect(contrast(white, ground), `${level} ${percent}`).toBeGreaterThanOrEqual(4.5);
      }
  });

  it('stays within the square, whatever it shows', () =>
    fc.assert(
      fc.property(fc.double({ min: -50, max: 400, noNaN: true }), (percent) => {
        expect(drawIcon({ percent, level: 'good' }, size).pixels).toHaveLength(size * size * 4);
      }),
      { numRuns: 20 },
    ));
});

it('every digit has strokes of its own', () => {
  const shape = { width: 5, height: 9, down: 2, across: 1 };
  const drawn = [...'0123456789-'].map((digit) => JSON.stringify(digitBars(digit, shape)));
  expect(new Set(drawn).size).toBe(11);
  expect(digitBars('x', shape)).toEqual([]);
});

it('becomes a bitmap with blue first and alpha multiplied in', () => {
  const pixels = new Uint8Array([200, 100, 50, 255, 200, 100, 50, 0, 200, 100, 50, 128]);
  expect([...toBitmap({ width: 3, height: 1, pixels })]).toEqual([
    50, 100, 200, 255, 0, 0, 0, 0, 25, 50, 100, 128,
  ]);
});
