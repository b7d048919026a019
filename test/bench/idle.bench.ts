import { setTimeout as wait } from 'node:timers/promises';
import type { Bench, BenchContext, BenchRow } from './bench';
import { ownProcessorSeconds } from './processMemory';
import { startBare, startHeadroom, type MeasuredWindow } from './windows';

export const name = 'Processor of the own processes, nvidia-smi not counted';

const settleMs = 20_000;
const measuredMs = 60_000;

/** What eight cards read and shown cost, and what is left of it without a window, as shares of one core. */
export const run: Bench = async (context): Promise<readonly BenchRow[]> => {
  if (process.platform !== 'linux') return [];
  const bare = await share(startBare(context));
  const shown = await share(startHeadroom(context, 'eight-healthy'));
  const hidden = await share(startHidden(context));
  return [
    row('eight cards at 1 Hz, window visible', shown, bare, 0.03),
    row('eight cards, no window (tray)', hidden, bare, 0.003),
  ];
};

const startHidden = (context: BenchContext): MeasuredWindow =>
  startHeadroom(context, 'eight-healthy', ['--hidden']);

async function share(window: MeasuredWindow): Promise<number> {
  try {
    await wait(settleMs);
    const before = ownProcessorSeconds(window.pid);
    const startedAt = performance.now();
    await wait(measuredMs);
    const seconds = (performance.now() - startedAt) / 1000;
    return (ownProcessorSeconds(window.pid) - before) / seconds;
  } finally {
    await window.close();
  }
}

function row(what: string, measured: number, bare: number, aim: number): BenchRow {
  const percent = (value: number): string => `${(100 * value).toFixed(2)} %`;
  return {
    what,
    measured: percent(measured),
    baseline: `${percent(bare)}, bare window`,
    result: `+${percent(measured - bare)}`,
    aim: percent(aim),
    aimMet: measured <= aim,
  };
}
