import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fitBounds, type Rectangle, type SavedBounds } from '../../../../electron/desktop/bounds';

const laptop: Rectangle = { x: 0, y: 30, width: 1440, height: 870 };
const monitor: Rectangle = { x: 1440, y: 0, width: 2560, height: 1440 };
const saved = (own: Partial<SavedBounds>): SavedBounds => ({
  width: 1200,
  height: 700,
  x: 100,
  y: 100,
  maximised: false,
  ...own,
});

describe('fitBounds', () => {
  it('opens at 1280 x 800 where the desktop likes, the first time', () => {
    expect(fitBounds(null, [laptop])).toEqual({ width: 1280, height: 800, x: null, y: null });
  });

  it('makes the first window no larger than the screen', () => {
    expect(fitBounds(null, [{ x: 0, y: 0, width: 1024, height: 700 }])).toEqual({
      width: 1024,
      height: 700,
      x: null,
      y: null,
    });
  });

  it('comes back where it was', () => {
    expect(fitBounds(saved({}), [laptop])).toEqual({ width: 1200, height: 700, x: 100, y: 100 });
    expect(fitBounds(saved({ x: 1500, y: 50 }), [laptop, monitor])).toEqual({
      width: 1200,
      height: 700,
      x: 1500,
      y: 50,
    });
  });

  it('lets the desktop choose when its screen is gone', () => {
    expect(fitBounds(saved({ x: 1500, y: 50 }), [laptop])).toEqual({
      width: 1200,
      height: 700,
      x: null,
      y: null,
    });
  });

  it('moves wholly onto the screen that shows most of its title bar', () => {
    expect(fitBounds(saved({ x: 700, y: 600 }), [laptop])).toMatchObject({ x: 240, y: 200 });
    expect(fitBounds(saved({ x: 1000, y: 100 }), [laptop, monitor])).toMatchObject({ x: 1440 });
  });

  it('does not come back where the title bar cannot be grabbed', () => {
    expect(fitBounds(saved({ y: -200 }), [laptop])).toMatchObject({ x: null, y: null });
    expect(fitBounds(saved({ x: -1150 }), [laptop])).toMatchObject({ x: null, y: null });
  });

  it('shrinks to a smaller screen, but never below 900 x 600', () => {
    expect(fitBounds(saved({ width: 5000, height: 4000 }), [laptop])).toEqual({
      width: 1440,
      height: 870,
      x: 0,
      y: 30,
    });
    expect(fitBounds(saved({ width: 10, height: 10 }), [laptop])).toMatchObject({ width: 900, height: 600 });
    expect(fitBounds(null, [{ x: 0, y: 0, width: 640, height: 480 }])).toMatchObject({
      width: 900,
      height: 600,
    });
  });

  it('keeps only the size when there was no position, or no screen is known', () => {
    expect(fitBounds(saved({ x: null, y: null }), [laptop])).toEqual({
      width: 1200,
      height: 700,
      x: null,
      y: null,
    });
    expect(fitBounds(saved({}), [])).toEqual({ width: 1200, height: 700, x: null, y: null });
  });

  it('always gives a window that fits a screen of at least the minimum size', () => {
    const coordinate = fc.integer({ min: -8_000, max: 8_000 });
    const area = fc.record({
      x: coordinate,
      y: coordinate,
      width: fc.integer({ min: 900, max: 8_000 }),
      height: fc.integer({ min: 600, max: 5_000 }),
    });
    const bounds = fc.record({
      x: fc.option(coordinate),
      y: fc.option(coordinate),
      width: fc.integer({ min: 1, max: 20_000 }),
      height: fc.integer({ min: 1, max: 20_000 }),
      maximised: fc.boolean(),
    });
    fc.assert(
      fc.property(bounds, fc.array(area, { minLength: 1, maxLength: 4 }), (before, areas) => {
        const { x, y, width, height } = fitBounds(before, areas);
        expect(width).toBeGreaterThanOrEqual(900);
        expect(height).toBeGreaterThanOrEqual(600);
        if (x === null || y === null) return;
        const inside = areas.some(
          (screen) =>
            x >= screen.x &&
            y >= screen.y &&
            x + width <= screen.x + screen.width &&
            y + height <= screen.y + screen.height,
        );
        expect(inside).toBe(true);
      }),
    );
  });
});
