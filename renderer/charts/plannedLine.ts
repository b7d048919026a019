import type { ChartPoint, MemorySeries } from './memorySeries';

/** What a plan expects of one job on one card. */
export interface PlannedJob {
  readonly jobId: string;
  readonly title: string;
  /** Its name in words, for the chart's tooltip. */
  readonly label: string;
  readonly bytes: number;
}

export interface PlannedLine extends PlannedJob {
  readonly points: readonly ChartPoint[];
}

/**
 * The planned memory of jobs as lines over the layers of a chart: where a job's layer would end if it took what was planned, from
 * the first point at which it held memory to the last. Jobs that hold none in the shown span have no line.
 */
export function plannedLines(
  { layers }: MemorySeries,
  planned: readonly PlannedJob[],
): readonly PlannedLine[] {
  return planned.flatMap((job) => {
    const place = layers.findIndex(({ key }) => key === job.jobId);
    const own = layers[place];
    if (own === undefined || !own.points.some(({ y }) => y > 0)) return [];
    const below = layers.slice(0, place);
    const points = own.points.map(({ x, y }, at) => ({
      x,
      y: y > 0 ? below.reduce((sum, layer) => sum + (layer.points[at]?.y ?? 0), job.bytes) : NaN,
    }));
    return [{ ...job, points }];
  });
}
