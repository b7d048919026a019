import { setTimeout as wait } from 'node:timers/promises';
import type { Bench, BenchContext, BenchRow } from './bench';
import { ownProcessorSeconds } from './processMemory';
import { startBare, startHeadroom, type MeasuredWindow } from './windows';

export const name = 'Processor of the own processes, nvidia-smi not counted';

/** V8 compiles for minutes what runs once a second, so the first of them costs more than the hours that follow. */
const warmMs = 180_000;
const firstMs = 20_000;
const measuredMs = 60_000;

/** What eight cards read and shown cost, and what is left of it without a window, as shares of one core. */
export const run: Bench = async (context): Promise<readonly BenchRow[]> => {
  if (process.platform !== 'linux') return [];
  const bare = await shares(startBare(context));
  const shown = await shares(startHeadroom(context, 'eight-healthy'));
  const hidden = await shares(startHidden(context));
  return [
    row('eight cards at 1 Hz, window visible', shown.warm, bare.warm, 0.03),
    row('the same in its first minute', shown.first, bare.first, null),
    row('eight cards, no window (tray)', hidden.warm, bare.warm, 0.003),
    row('the same in its first minute', hidden.first, bare.first, null),
  ];
};

const startHidden = (context: BenchContext): MeasuredWindow =>
  startHeadroom(context, 'eight-healthy', ['--hidden']);

/** The share soon after the start, and when everything has been compiled. */
async function shares(window: MeasuredWindow): Promise<{ readonly first: number; readonly warm: number }> {
  try {
    await wait(firstMs);
    const first = await share(window.pid);
    await wait(warmMs - firstMs - measuredMs);
    return { first, warm: await share(window.pid) };
  } finally {
    await window.close();
  }
}

async function share(pid: number): Promise<number> {
  const before = ownProcessorSeconds(pid);
  const startedAt = performance.now();
  await wait(measuredMs);
  const seconds = (performance.now() - startedAt) / 1000;
  return (ownProcessorSeconds(pid) - before) / seconds;
}

function row(what: string, measured: number, bare: number, aim: number | null): BenchRow {
  const percent = (value: number): string => `${(100 * value).toFixed(2)} %`;
  return {
    what,
    measured: percent(measured),
    baseline: `${percent(bare)}, bare window`,
    result: `+${percent(measured - bare)}`,
    aim: aim === null ? null : percent(aim),
    aimMet: aim === null ? null : measured <= aim,
  };
}
