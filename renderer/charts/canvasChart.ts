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
} from 'chart.js';
import type { ChartPoint } from './memorySeries';

Chart.register(Filler, LinearScale, LineController, LineElement, PointElement, Tooltip);

export type ChartLine = ChartDataset<'line', ChartPoint[]>;
type ChartSetup = Required<Pick<ChartConfiguration<'line', ChartPoint[]>, 'options'>> &
  Pick<ChartConfiguration<'line', ChartPoint[]>, 'plugins'>;
/** The value of a colour token of styles/tokens.css. */
export type Colours = (token: string) => string;

interface Range {
  readonly min: number;
  readonly max: number;
}

/** What one kind of chart draws, and how. */
export interface ChartKind<Content> {
  /** Given once. What depends on the content is read from it when it is drawn. */
  readonly setup: (content: () => Content) => ChartSetup;
  readonly lines: (content: Content, colours: Colours) => ChartLine[];
  readonly ranges: (content: Content) => { readonly x: Range; readonly y: Range };
  /** Room around the plot, where it depends on the content. */
  readonly padding?: (content: Content) => { top: number; right: number; bottom: number };
}

/** A chart as a view holds it. */
export interface DrawnChart<Content> {
  draw(content: Content): void;
  destroy(): void;
}

/** Null where the canvas cannot be drawn on. */
export type DrawChart<Content> = (canvas: HTMLCanvasElement, content: Content) => DrawnChart<Content> | null;

/**
 * Lines and areas over a canvas in the colours and the font of the page; the modules of the kinds import this and are loaded
 * when the first chart is drawn, so nothing else knows chart.js. Its data are plain arrays: it writes hidden properties on
 * them, which Svelte's proxies refuse (https://github.com/sveltejs/svelte/issues/13689).
 */
export class CanvasChart<Content> implements DrawnChart<Content> {
  readonly #kind: ChartKind<Content>;
  readonly #chart: Chart<'line', ChartPoint[]>;
  #content: Content;

  /** Null where the canvas cannot be drawn on. */
  static on<Content>(
    kind: ChartKind<Content>,
    canvas: HTMLCanvasElement,
    content: Content,
  ): CanvasChart<Content> | null {
    const context = canvas.getContext('2d');
    return context === null ? null : new CanvasChart(kind, context, content);
  }

  private constructor(kind: ChartKind<Content>, context: CanvasRenderingContext2D, content: Content) {
    this.#kind = kind;
    this.#content = content;
    const { options, plugins = [] } = kind.setup(() => this.#content);
    this.#chart = new Chart(context, {
      type: 'line',
      data: { datasets: [] },
      plugins,
      options: {
        ...options,
        animation: false,
        parsing: false,
        normalized: true,
        responsive: true,
        maintainAspectRatio: false,
      },
    });
    this.draw(content);
  }

  draw(content: Content): void {
    this.#content = content;
    const style = getComputedStyle(this.#chart.canvas);
    const colours: Colours = (token) => style.getPropertyValue(token).trim();
    this.#chart.data.datasets = this.#kind.lines(content, colours);
    const { options } = this.#chart;
    const { x, y } = this.#kind.ranges(content);
    Object.assign(options.scales?.['x'] ?? {}, x);
    Object.assign(options.scales?.['y'] ?? {}, y);
    const padding = this.#kind.padding?.(content);
    if (padding !== undefined) options.layout = { padding };
    this.#paint(colours, style.fontFamily);
    this.#chart.update('none');
  }

  destroy(): void {
    this.#chart.destroy();
  }

  #paint(colours: Colours, family: string): void {
    const { options } = this.#chart;
    options.font = { family, size: 11 };
    options.color = colours('--text-muted');
    for (const axis of Object.values(options.scales ?? {})) {
      if (axis === undefined) continue;
      axis.grid = { color: colours('--line'), drawTicks: false };
      axis.border = { color: colours('--line-strong'), display: false };
      if (axis.ticks !== undefined) Object.assign(axis.ticks, { color: colours('--text-muted') });
    }
    Object.assign(options.plugins?.tooltip ?? {}, {
      backgroundColor: colours('--raised'),
      borderColor: colours('--line-strong'),
      titleColor: colours('--text'),
      bodyColor: colours('--text'),
    });
  }
}
