import type { PhaseBand } from '../../../shared/memory/view/course';

/** Where the areas lie within the chart, in pixels. */
export interface ChartInset {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const lying: ChartInset = { left: 64, right: 8, top: 24, bottom: 8 };
/** Names that are written from top to bottom have their room above the areas, too: no line crosses them. */
const standing: ChartInset = { ...lying, top: 72 };

/** Pixels below which the longest usual name does not lie in its phase. */
const narrowPixels = 60;
/** Pixels below which no name is written. */
const namelessPixels = 14;

/**
 * The inset is given and not left to chart.js, so that what stands over the canvas (phases, peak, cursor, the card's end) is
 * placed by shares alone and moves without a new drawing.
 *
 * @param chartWidth of the whole chart, in pixels; 0: not known yet
 */
export function chartInset(bands: readonly PhaseBand[], chartWidth: number): ChartInset {
  const width = chartWidth - lying.left - lying.right;
  if (width <= 0) return lying;
  const isStanding = bands.some(({ end, start }) => {
    const band = (end - start) * width;
    return band < narrowPixels && band > namelessPixels;
  });
  return isStanding ? standing : lying;
}
