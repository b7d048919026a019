import {
  Chart,
  Filler,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  type ChartConfiguration,
  type ChartDataset,
} from 'chart.js';
import { chartInset } from './stepInset';
import { byteTicks } from './stepScale';

Chart.register(Filler, LinearScale, LineController, LineElement, PointElement);

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
  readonly bytesLabel: (bytes: number) => string;
}

type Point = { x: number; y: number };
type Dataset = ChartDataset<'line', Point[]>;

/** The areas of a step. Its data are plain arrays, as chart.js writes hidden properties on them. */
export class StepChart {
  readonly #chart: Chart<'line', Point[]>;
  #content: StepChartContent;

  /** Null where the canvas cannot be drawn on. */
  static on(canvas: HTMLCanvasElement, content: StepChartContent): StepChart | null {
    const context = canvas.getContext('2d');
    return context === null ? null : new StepChart(context, content);
  }

  private constructor(context: CanvasRenderingContext2D, content: StepChartContent) {
    this.#content = content;
    this.#chart = new Chart(context, this.#configuration());
    this.draw(content);
  }

  draw(content: StepChartContent): void {
    this.#content = content;
    const style = getComputedStyle(this.#chart.canvas);
    const colour = (token: string): string => style.getPropertyValue(token).trim();
    this.#chart.data.datasets = datasets(content.layers, content.positions, colour);
    const { options } = this.#chart;
    Object.assign(options.scales?.['y'] ?? {}, { min: 0, max: content.topBytes });
    options.font = { family: style.fontFamily, size: 11 };
    options.color = colour('--text-muted');
    const axis = options.scales?.['y'];
    if (axis !== undefined) {
      axis.grid = { color: colour('--line'), drawTicks: false };
      Object.assign(axis.ticks ?? {}, { color: colour('--text-muted') });
    }
    this.#chart.update('none');
  }

  destroy(): void {
    this.#chart.destroy();
  }

  #configuration(): ChartConfiguration<'line', Point[]> {
    return {
      type: 'line',
      data: { datasets: [] },
      options: {
        animation: false,
        parsing: false,
        normalized: true,
        responsive: true,
        maintainAspectRatio: false,
        // The cursor is the page's own: it must follow the keyboard, too.
        events: [],
        layout: { padding: { top: chartInset.top, right: chartInset.right, bottom: chartInset.bottom } },
        // Memory stays what it is until the next event.
        elements: { point: { radius: 0 }, line: { borderWidth: 0, stepped: 'before' } },
        scales: {
          x: { type: 'linear', display: false, min: 0, max: 1 },
          y: {
            type: 'linear',
            border: { display: false },
            afterFit: (axis) => {
              axis.width = chartInset.left;
            },
            afterBuildTicks: (axis) => {
              axis.ticks = byteTicks(this.#content.topBytes).map((value) => ({ value }));
            },
            ticks: {
              padding: 8,
              autoSkip: false,
              callback: (value) => this.#content.bytesLabel(Number(value)),
            },
          },
        },
      },
    };
  }
}

/**
 * The areas lie before each other, each as high as all up to its own: chart.js draws the first data set last. Its own stacks
 * look for every point in every layer below, which takes ten times as long.
 */
function datasets(
  layers: readonly StepLayer[],
  positions: readonly number[],
  colour: (token: string) => string,
): Dataset[] {
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
