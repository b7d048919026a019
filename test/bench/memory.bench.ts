import { setTimeout as wait } from 'node:timers/promises';
import { median, type Bench, type BenchRow } from './bench';
import { ownMemoryBytes } from './processMemory';
import { startBare, startHeadroom, type MeasuredWindow } from './windows';

export const name = 'Memory of the own processes';

const aimMiB = 90;
/** Long enough for the first readings, the charts and a garbage collection or two. */
const settleMs = 30_000;
const samples = 5;
const mib = 1024 * 1024;

/** Eight cards read once a second and shown, against a bare window that shows a line of text. */
export const run: Bench = async (context): Promise<readonly BenchRow[]> => {
  if (process.platform !== 'linux') return [];
  const bare = await settledMemory(startBare(context));
  const own = await settledMemory(startHeadroom(context, 'eight-healthy'));
  const moreMiB = (own - bare) / mib;
  return [
    {
      what: '8 cards at 1 Hz, after 30 s',
      measured: `${(own / mib).toFixed(0)} MiB`,
      baseline: `${(bare / mib).toFixed(0)} MiB, bare window`,
      result: `${moreMiB < 0 ? '' : '+'}${moreMiB.toFixed(0)} MiB (${(own / bare).toFixed(2)}x)`,
      aim: `+${aimMiB} MiB`,
      aimMet: moreMiB <= aimMiB,
    },
  ];
};

async function settledMemory(window: MeasuredWindow): Promise<number> {
  try {
    await wait(settleMs);
    const measured: number[] = [];
    for (let sample = 0; sample < samples; sample++) {
      measured.push(ownMemoryBytes(window.pid));
      await wait(1_000);
    }
    return median(measured);
  } finally {
    await window.close();
  }
}
