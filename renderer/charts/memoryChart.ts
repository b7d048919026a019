import type { HistoryMark } from '../../shared/snapshot/history/history';
import type { BarFill } from '../ui/barParts';
import { CanvasChart, type ChartKind, type ChartLine, type Colours, type DrawChart } from './canvasChart';
import { drawMarks } from './marks';
import type { ChartPoint, MemorySeries } from './memorySeries';
import type { PlannedLine } from './plannedLine';

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

/** The past of a card: stacked layers, what plans expect as dashed lines over them, marks where jobs began and ended. */
const memoryChart: ChartKind<ChartContent> = {
  lines: ({ planned, series }, colour) => [
    ...series.layers.map((layer) => layerLine(layer.name, layer.points, layer.fill, colour)),
    ...(series.peaks.length === 0 ? [] : [peaksLine(series.peaks, colour('--text-muted'))]),
    ...planned.map((line) => plannedLine(line, colour('--text'))),
  ],
  ranges: ({ fromTime, toTime, topBytes }) => ({
    x: { min: fromTime, max: toTime },
    y: { min: 0, max: topBytes },
  }),
  setup: (content) => ({
    plugins: [{ id: 'marks', afterDatasetsDraw: (chart) => drawMarks(chart, content().marks) }],
    options: {
      interaction: { mode: 'index', intersect: false },
      layout: { padding: { top: 6, right: 2 } },
      elements: { point: { radius: 0, hitRadius: 8 }, line: { borderWidth: 1, tension: 0 } },
      scales: {
        x: {
          type: 'linear',
          afterBuildTicks: (axis) => {
            axis.ticks = timeTicks(content(), axis.width);
          },
          ticks: {
            autoSkip: false,
            maxRotation: 0,
            padding: 4,
            callback: (value) => content().timeLabel(content().toTime - Number(value)),
          },
        },
        y: {
          type: 'linear',
          stacked: true,
          afterBuildTicks: (axis) => {
            const { topBytes } = content();
            axis.ticks = [0, topBytes / 2, topBytes].map((value) => ({ value }));
          },
          ticks: { padding: 6, callback: (value) => content().bytesLabel(Number(value)) },
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
            title: (items) => content().clockLabel(items[0]?.parsed.x ?? 0),
            // A planned line lies on top of other layers: its height is not what was planned.
            label: ({ dataset, parsed }) =>
              `${dataset.label ?? ''} ${content().bytesLabel(plannedBytesOf(content(), dataset.stack) ?? parsed.y ?? 0)}`,
          },
        },
      },
    },
  }),
};

export const drawMemory: DrawChart<ChartContent> = (canvas, content) =>
  CanvasChart.on(memoryChart, canvas, content);

function layerLine(name: string, points: readonly ChartPoint[], fill: BarFill, colour: Colours): ChartLine {
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

function peaksLine(points: readonly ChartPoint[], paint: string): ChartLine {
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

function plannedLine(line: PlannedLine, paint: string): ChartLine {
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
