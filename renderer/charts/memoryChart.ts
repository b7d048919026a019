import {
  Chart,
  Filler,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
  type ChartConfiguration,
  type ChartDataset,
  type Plugin,
} from 'chart.js';
import type { HistoryMark } from '../../shared/contract/history';
import type { BarFill } from '../ui/barParts';
import { drawMarks } from './marks';
import type { ChartPoint, MemorySeries } from './memorySeries';
import type { PlannedLine } from './plannedLine';

Chart.register(Filler, LinearScale, LineController, LineElement, PointElement, Tooltip);

/** All that one drawing shows. Times are seconds since the epoch. */
export interface ChartContent {
  readonly series: MemorySeries;
  /** Drawn dashed over the layers. */
  readonly planned: readonly PlannedLine[];
  readonly marks: readonly HistoryMark[];
  readonly fromTime: number;
  readonly toTime: number;
  readonly tickSeconds: number;
  /** The top of the chart: the card's end. */
  readonly topBytes: number;
  readonly timeLabel: (secondsBack: number) => string;
  readonly bytesLabel: (bytes: number) => string;
  readonly clockLabel: (time: number) => string;
}

type Dataset = ChartDataset<'line', ChartPoint[]>;

/**
 * Draws the past; plan/chosen/stepChart.ts draws a step, and nothing else knows chart.js. Its data are plain arrays: it writes hidden properties on them, which Svelte's
 * proxies refuse (https://github.com/sveltejs/svelte/issues/13689).
 */
export class MemoryChart {
  readonly #chart: Chart<'line', ChartPoint[]>;
  #content: ChartContent;

  /** Null where the canvas cannot be drawn on. */
  static on(canvas: HTMLCanvasElement, content: ChartContent): MemoryChart | null {
    const context = canvas.getContext('2d');
    return context === null ? null : new MemoryChart(context, content);
  }

  private constructor(context: CanvasRenderingContext2D, content: ChartContent) {
    this.#content = content;
    this.#chart = new Chart(context, this.#configuration());
    this.draw(content);
  }

  draw(content: ChartContent): void {
    this.#content = content;
    const style = getComputedStyle(this.#chart.canvas);
    const colour = (token: string): string => style.getPropertyValue(token).trim();
    const { planned, series, fromTime, toTime, topBytes } = content;
    this.#chart.data.datasets = [
      ...series.layers.map((layer) => layerDataset(layer.name, layer.points, layer.fill, colour)),
      ...(series.peaks.length === 0 ? [] : [peaksDataset(series.peaks, colour('--text-muted'))]),
      ...planned.map((line) => plannedDataset(line, colour('--text'))),
    ];
    const { scales } = this.#chart.options;
    Object.assign(scales?.['x'] ?? {}, { min: fromTime, max: toTime });
    Object.assign(scales?.['y'] ?? {}, { min: 0, max: topBytes });
    this.#paint(colour, style.fontFamily);
    this.#chart.update('none');
  }

  destroy(): void {
    this.#chart.destroy();
  }

  #paint(colour: (token: string) => string, family: string): void {
    const { options } = this.#chart;
    options.font = { family, size: 11 };
    options.color = colour('--text-muted');
    for (const axis of Object.values(options.scales ?? {})) {
      if (axis === undefined) continue;
      axis.grid = { color: colour('--line'), drawTicks: false };
      axis.border = { color: colour('--line-strong'), display: false };
      if (axis.ticks !== undefined) Object.assign(axis.ticks, { color: colour('--text-muted') });
    }
    Object.assign(options.plugins?.tooltip ?? {}, {
      backgroundColor: colour('--raised'),
      borderColor: colour('--line-strong'),
      titleColor: colour('--text'),
      bodyColor: colour('--text'),
    });
  }

  #configuration(): ChartConfiguration<'line', ChartPoint[]> {
    const marks: Plugin<'line'> = {
      id: 'marks',
      afterDatasetsDraw: (chart) => drawMarks(chart, this.#content.marks),
    };
    return {
      type: 'line',
      data: { datasets: [] },
      plugins: [marks],
      options: {
        animation: false,
        parsing: false,
        normalized: true,
        responsive: true,
        maintainAspectRatio: false,
        interaction: { mode: 'index', intersect: false },
        layout: { padding: { top: 6, right: 2 } },
        elements: { point: { radius: 0, hitRadius: 8 }, line: { borderWidth: 1, tension: 0 } },
        scales: {
          x: {
            type: 'linear',
            afterBuildTicks: (axis) => {
              axis.ticks = timeTicks(this.#content, axis.width);
            },
            ticks: {
              autoSkip: false,
              maxRotation: 0,
              padding: 4,
              callback: (value) => this.#content.timeLabel(this.#content.toTime - Number(value)),
            },
          },
          y: {
            type: 'linear',
            stacked: true,
            afterBuildTicks: (axis) => {
              const { topBytes } = this.#content;
              axis.ticks = [0, topBytes / 2, topBytes].map((value) => ({ value }));
            },
            ticks: { padding: 6, callback: (value) => this.#content.bytesLabel(Number(value)) },
          },
        },
        plugins: {
          tooltip: {
            borderWidth: 1,
            cornerRadius: 6,
            boxPadding: 4,
            animation: false,
            filter: (item) => Number.isFinite(item.parsed.y) && (item.parsed.y ?? 0) > 0,
            callbacks: {
              title: (items) => this.#content.clockLabel(items[0]?.parsed.x ?? 0),
              // A planned line lies on top of other layers: its height is not what was planned.
              label: ({ dataset, parsed }) =>
                `${dataset.label ?? ''} ${this.#content.bytesLabel(plannedBytesOf(this.#content, dataset.stack) ?? parsed.y ?? 0)}`,
            },
          },
        },
      },
    };
  }
}

function layerDataset(
  name: string,
  points: readonly ChartPoint[],
  fill: BarFill,
  colour: (token: string) => string,
): Dataset {
  const paint = colour(fillToken(fill));
  return {
    label: name,
    data: [...points],
    stack: 'memory',
    fill: 'stack',
    backgroundColor: translucent(paint, fill.kind === 'unattributed' ? 0.35 : 0.8),
    borderColor: paint,
  };
}

/** A `#rrggbb` token with an opacity. A canvas of Chrome 114 does not know color-mix() and would paint black. */
function translucent(paint: string, opacity: number): string {
  const alpha = Math.round(opacity * 255).toString(16);
  return `${paint}${alpha}`;
}

function peaksDataset(points: readonly ChartPoint[], paint: string): Dataset {
  return {
    label: '',
    data: [...points],
    stack: 'peaks',
    fill: false,
    borderColor: paint,
    borderDash: [2, 2],
  };
}

/** Each planned line is a stack of its own, so that nothing is added to it. */
const plannedStack = ({ jobId }: { readonly jobId: string }): string => `planned ${jobId}`;

function plannedDataset(line: PlannedLine, paint: string): Dataset {
  return {
    label: line.label,
    data: [...line.points],
    stack: plannedStack(line),
    fill: false,
    borderColor: paint,
    borderDash: [6, 4],
    borderWidth: 1.5,
  };
}

function plannedBytesOf({ planned }: ChartContent, stack: string | undefined): number | null {
  return planned.find((line) => plannedStack(line) === stack)?.bytes ?? null;
}

function fillToken(fill: BarFill): string {
  switch (fill.kind) {
    case 'colour':
    case 'maybe':
      return `--job-${fill.colour}`;
    case 'other':
      return '--bar-other';
    case 'desktop':
      return '--bar-desktop';
    case 'request':
      return '--critical';
    case 'unattributed':
      return '--bar-edge';
  }
}

/** About the longest label of the time axis with the gap to the next, in pixels. */
const timeLabelWidth = 64;

/** Counted back from now, which is always named; where they would not all fit, every second or third. */
function timeTicks({ fromTime, toTime, tickSeconds }: ChartContent, width: number): { value: number }[] {
  const most = Math.max(1, Math.floor(width / timeLabelWidth));
  const count = Math.floor((toTime - fromTime) / tickSeconds);
  const stride = Math.ceil(count / most);
  const shown = Math.floor(count / stride);
  return Array.from({ length: shown + 1 }, (_, index) => ({
    value: toTime - (shown - index) * stride * tickSeconds,
  }));
}
