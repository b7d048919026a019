import {
  CanvasChart,
  type ChartKind,
  type ChartLine,
  type Colours,
  type DrawChart,
} from '../../charts/canvasChart';
import type { ChartInset } from './stepInset';
import { byteTicks } from './stepScale';

/** Bytes of one kind at each point of a step. */
export interface StepLayer {
  readonly name: string;
  /** A token of styles/tokens.css. */
  readonly token: string;
  readonly bytes: readonly number[];
}

export interface StepChartContent {
  /** Where each point begins, as a share of the width. */
  readonly positions: readonly number[];
  /** Bottom to top. */
  readonly layers: readonly StepLayer[];
  readonly topBytes: number;
  readonly inset: ChartInset;
  readonly bytesLabel: (bytes: number) => string;
}

/** The areas of a step. Phases, peak, cursor and the card's end are elements over the canvas. */
const stepChart: ChartKind<StepChartContent> = {
  lines: ({ layers, positions }, colour) => areas(layers, positions, colour),
  ranges: ({ topBytes }) => ({ x: { min: 0, max: 1 }, y: { min: 0, max: topBytes } }),
  padding: ({ inset: { bottom, right, top } }) => ({ bottom, right, top }),
  setup: (content) => ({
    options: {
      // The cursor is the page's own: it must follow the keyboard, too.
      events: [],
      // Memory stays what it is until the next event.
      elements: { point: { radius: 0 }, line: { borderWidth: 0, stepped: 'before' } },
      scales: {
        x: { type: 'linear', display: false },
        y: {
          type: 'linear',
          afterFit: (axis) => {
            axis.width = content().inset.left;
          },
          afterBuildTicks: (axis) => {
            axis.ticks = byteTicks(content().topBytes).map((value) => ({ value }));
          },
          ticks: {
            padding: 8,
            autoSkip: false,
            callback: (value) => content().bytesLabel(Number(value)),
          },
        },
      },
    },
  }),
};

export const drawStep: DrawChart<StepChartContent> = (canvas, content) =>
  CanvasChart.on(stepChart, canvas, content);

/**
 * The areas lie before each other, each as high as all up to its own: chart.js draws the first data set last. Its own stacks
 * look for every point in every layer below, which takes ten times as long.
 */
function areas(layers: readonly StepLayer[], positions: readonly number[], colour: Colours): ChartLine[] {
  const heights = positions.map(() => 0);
  return layers.map(({ bytes, name, token }) => {
    for (const [index, size] of bytes.entries()) heights[index] = (heights[index] ?? 0) + size;
    const points = heights.map((y, index) => ({ x: positions[index] ?? 1, y }));
    return {
      label: name,
      // The last point lasts to the end of the step.
      data: [...points, { x: 1, y: heights[heights.length - 1] ?? 0 }],
      fill: 'origin',
      backgroundColor: colour(token),
    };
  });
}
