import type { Chart } from 'chart.js';
import type { HistoryMark } from '../../shared/snapshot/history/history';

const size = 4;

/** Draws a line at each moment a job started, ended or was killed, with a shape at its top that tells them apart. */
export function drawMarks(chart: Chart, marks: readonly HistoryMark[]): void {
  const { ctx, chartArea, scales } = chart;
  const axis = scales['x'];
  if (axis === undefined) return;
  ctx.save();
  ctx.strokeStyle = String(chart.options.color ?? '#888888');
  ctx.fillStyle = ctx.strokeStyle;
  ctx.lineWidth = 1;
  for (const mark of marks) {
    if (mark.time < axis.min || mark.time > axis.max) continue;
    const x = Math.round(axis.getPixelForValue(mark.time)) + 0.5;
    ctx.setLineDash([2, 3]);
    ctx.beginPath();
    ctx.moveTo(x, chartArea.top);
    ctx.lineTo(x, chartArea.bottom);
    ctx.stroke();
    ctx.setLineDash([]);
    drawShape(ctx, mark.kind, x, chartArea.top);
  }
  ctx.restore();
}

function drawShape(context: CanvasRenderingContext2D, kind: HistoryMark['kind'], x: number, y: number): void {
  context.beginPath();
  switch (kind) {
    case 'started':
      context.moveTo(x, y - size);
      context.lineTo(x + size + 1, y);
      context.lineTo(x, y + size);
      context.closePath();
      context.fill();
      return;
    case 'ended':
      context.rect(x - size + 1, y - size + 1, 2 * size - 2, 2 * size - 2);
      context.fill();
      return;
    case 'killed':
      context.lineWidth = 2;
      context.moveTo(x - size, y - size);
      context.lineTo(x + size, y + size);
      context.moveTo(x + size, y - size);
      context.lineTo(x - size, y + size);
      context.stroke();
      context.lineWidth = 1;
  }
}
