import * as z from 'zod';

export const minimumSize = { width: 900, height: 600 } as const;
const defaultSize = { width: 1280, height: 800 } as const;

const length = z.int().min(1).max(100_000);
const position = z.int().min(-100_000).max(100_000);

/** What is remembered of the window. No position where the desktop does not tell it (Wayland). */
export const savedBoundsSchema = z.strictObject({
  width: length,
  height: length,
  x: position.nullable(),
  y: position.nullable(),
  maximised: z.boolean(),
});
export type SavedBounds = Readonly<z.infer<typeof savedBoundsSchema>>;

export interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Where to open; null positions leave the choice to the desktop. */
export interface WindowBounds {
  readonly width: number;
  readonly height: number;
  readonly x: number | null;
  readonly y: number | null;
}

/** How much of the window's top edge must be on a screen to be able to grab it. */
const grabWidth = 100;
const grabHeight = 32;

/**
 * Bounds for today's screens (their work areas, the main one first): the remembered size, no smaller than the
 * minimum and no larger than the screen, at the remembered place where enough of the title bar can still be grabbed
 * there, and wholly on that screen. Otherwise the desktop chooses the place. A screen smaller than the minimum size
 * gets the minimum size: the layout holds no less.
 */
export function fitBounds(saved: SavedBounds | null, workAreas: readonly Rectangle[]): WindowBounds {
  const wanted = saved ?? { ...defaultSize, x: null, y: null };
  const home =
    wanted.x === null || wanted.y === null
      ? undefined
      : findHome(wanted.x, wanted.y, wanted.width, workAreas);
  const area = home ?? workAreas[0];
  const width = fitLength(wanted.width, area?.width, minimumSize.width);
  const height = fitLength(wanted.height, area?.height, minimumSize.height);
  if (home === undefined || wanted.x === null || wanted.y === null)
    return { width, height, x: null, y: null };
  return {
    width,
    height,
    x: fitPosition(wanted.x, width, home.x, home.width),
    y: fitPosition(wanted.y, height, home.y, home.height),
  };
}

/** The screen that shows most of the window's title bar, if it shows enough of it. */
function findHome(
  x: number,
  y: number,
  width: number,
  workAreas: readonly Rectangle[],
): Rectangle | undefined {
  let best: { readonly area: Rectangle; readonly shown: number } | undefined;
  for (const area of workAreas) {
    const shownWidth = overlap(x, x + width, area.x, area.x + area.width);
    const shownHeight = overlap(y, y + grabHeight, area.y, area.y + area.height);
    if (shownWidth < Math.min(grabWidth, width) || shownHeight < grabHeight / 2) continue;
    if (best === undefined || shownWidth * shownHeight > best.shown)
      best = { area, shown: shownWidth * shownHeight };
  }
  return best?.area;
}

function overlap(startA: number, endA: number, startB: number, endB: number): number {
  return Math.max(0, Math.min(endA, endB) - Math.max(startA, startB));
}

function fitLength(wanted: number, available: number | undefined, minimum: number): number {
  return Math.max(minimum, Math.min(wanted, available ?? wanted));
}

/** Moves a stretch inside the area; at the area's start where it is longer than the area. */
function fitPosition(wanted: number, length: number, areaStart: number, areaLength: number): number {
  return Math.max(areaStart, Math.min(wanted, areaStart + areaLength - length));
}
