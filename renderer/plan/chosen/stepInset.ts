/**
 * Where the areas lie within the chart, in pixels. It is given and not left to chart.js, so that what stands over the canvas
 * (phases, peak, cursor, the card's end) is placed by shares alone and moves without a new drawing.
 */
export const chartInset = { left: 64, right: 8, top: 24, bottom: 8 } as const;
