import { digitBars, digitWidth, type DigitShape } from './digits';
import type { Colour, Picture } from './picture';

export type TrayLevel = 'unknown' | 'good' | 'warning' | 'critical';

/** What the icon shows: how full the fullest card is, and how bad that is. Null: nothing is known of any card. */
export interface TrayFace {
  readonly percent: number | null;
  readonly level: TrayLevel;
}

/**
 * The colours carry their own ground, so that they stand on dark and light panels alike. Blue, orange and red keep
 * apart for all kinds of colour blindness by lightness too; the level, the number and the white edge say the same.
 */
const track: Colour = [36, 38, 45];
const edge: Colour = [139, 143, 156];
const urgentEdge: Colour = [255, 255, 255];
const ink: Colour = [255, 255, 255];
const fills: Readonly<Record<TrayLevel, Colour>> = {
  unknown: [90, 95, 107],
  good: [0, 105, 165],
  warning: [176, 92, 0],
  critical: [190, 30, 24],
};

/** Draws the icon at `size` x `size` pixels: a rounded bar filled from below to the level, with the number over it. */
export function drawIcon(face: TrayFace, size: number): Picture {
  const pixels = new Uint8Array(size * size * 4);
  const line = Math.max(1, Math.round(size / 20));
  const inner = size - 2 * line;
  const filled = face.percent === null ? 0 : Math.round((inner * clamp(face.percent)) / 100);
  const fillTop = size - line - filled;
  for (let y = 0; y < size; y += 1)
    for (let x = 0; x < size; x += 1) {
      const outside = coverage(x, y, 0, size, size * 0.22);
      const inside = coverage(x, y, line, inner, size * 0.22 - line);
      const ground = y >= fillTop ? fills[face.level] : track;
      const around = face.level === 'critical' ? urgentEdge : edge;
      put(pixels, size, x, y, mix(around, ground, inside), outside);
    }
  drawText(pixels, size, textOf(face));
  return { width: size, height: size, pixels };
}

/** Two digits, since a card that is full to the last percent is rare and 100 still fits; a dash where unknown. */
function textOf({ percent }: TrayFace): string {
  return percent === null ? '-' : String(Math.floor(clamp(percent)));
}

function drawText(pixels: Uint8Array, size: number, text: string): void {
  const shape = shapeFor(size, text.length);
  const gap = Math.max(1, Math.round(size / 14) - (text.length > 2 ? 1 : 0));
  const widths = [...text].map((character) => digitWidth(character, shape));
  const width = widths.reduce((sum, one) => sum + one, 0) + gap * (text.length - 1);
  let left = Math.round((size - width) / 2);
  const top = Math.round((size - shape.height) / 2);
  for (const [place, character] of [...text].entries()) {
    for (const bar of digitBars(character, shape))
      for (let y = bar.y; y < bar.y + bar.height; y += 1)
        for (let x = bar.x; x < bar.x + bar.width; x += 1) put(pixels, size, left + x, top + y, ink, 1);
    left += (widths[place] ?? 0) + gap;
  }
}

/** Strokes on whole pixels, so that they stay sharp at 16 pixels. */
function shapeFor(size: number, digits: number): DigitShape {
  const across = Math.max(1, Math.round(size * 0.08));
  const hole = Math.round(size * 0.19);
  return {
    width: Math.round(size * (digits > 2 ? 0.26 : 0.31)),
    height: 3 * across + 2 * hole,
    down: Math.max(digits > 2 ? 1 : 2, Math.round(size * (digits > 2 ? 0.09 : 0.1))),
    across,
  };
}

/** The share of a pixel that a square with rounded corners covers, from four samples each way. */
function coverage(x: number, y: number, start: number, length: number, radius: number): number {
  let hits = 0;
  for (let i = 0; i < 16; i += 1) {
    const px = x + ((i % 4) + 0.5) / 4 - start;
    const py = y + (Math.floor(i / 4) + 0.5) / 4 - start;
    if (px < 0 || py < 0 || px > length || py > length) continue;
    const dx = Math.max(radius - px, px - (length - radius), 0);
    const dy = Math.max(radius - py, py - (length - radius), 0);
    if (dx * dx + dy * dy <= radius * radius) hits += 1;
  }
  return hits / 16;
}

function mix(below: Colour, above: Colour, share: number): Colour {
  const one = (channel: 0 | 1 | 2): number =>
    Math.round(below[channel] + (above[channel] - below[channel]) * share);
  return [one(0), one(1), one(2)];
}

function put(
  pixels: Uint8Array,
  size: number,
  x: number,
  y: number,
  [red, green, blue]: Colour,
  alpha: number,
): void {
  if (x < 0 || y < 0 || x >= size || y >= size) return;
  pixels.set([red, green, blue, Math.round(alpha * 255)], (y * size + x) * 4);
}

function clamp(percent: number): number {
  return Math.max(0, Math.min(100, percent));
}
