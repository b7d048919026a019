import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import type { Bench, BenchRow } from './bench';
import { commandLine, descendants } from './processMemory';
import { openSoak, type SoakedApp, type SoakReading } from './soakedApp';

export const name = 'A day in the app, a hundred times as fast';

const speed = 100;
const daySeconds = 86_400;
const readEveryMs = 4_000;
/** nvidia-smi is killed so often, beside what the scene does to it. */
const killEveryMs = 20_000;
/** The last readings of a quarter let the sampler collect its garbage. */
const collectWithinMs = 20_000;
/** What may come and go by chance between two quarters of the day, of what is counted. */
const slack = 0.1;

interface Measure {
  readonly what: string;
  /** null where this reading did not tell. */
  readonly of: (reading: SoakReading) => number | null;
  readonly unit: (value: number) => string;
  /** What chance may add whatever the size. */
  readonly least: number;
}

const mib = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
const count = (value: number): string => value.toFixed(0);

const measures: readonly Measure[] = [
  { what: 'heap of main', of: ({ mainHeapBytes }) => mainHeapBytes, unit: mib, least: 8 * 2 ** 20 },
  { what: 'heap of the page', of: ({ pageHeapBytes }) => pageHeapBytes, unit: mib, least: 8 * 2 ** 20 },
  {
    what: 'heap of the sampler, collected',
    of: ({ collected }) => collected?.heapBytes ?? null,
    unit: mib,
    least: 2 * 2 ** 20,
  },
  {
    what: 'memory of the sampler, collected',
    of: ({ collected }) => collected?.samplerBytes ?? null,
    unit: mib,
    least: 8 * 2 ** 20,
  },
  { what: 'children and their children', of: ({ children }) => children, unit: count, least: 8 },
  { what: 'open files of main and sampler', of: ({ openFiles }) => openFiles, unit: count, least: 6 },
  { what: 'timers and handles of main', of: ({ handles }) => handles, unit: count, least: 4 },
  { what: 'listeners in main', of: ({ listeners }) => listeners, unit: count, least: 2 },
  { what: 'listeners in the page', of: ({ pageListeners }) => pageListeners, unit: count, least: 30 },
  { what: 'elements in the page', of: ({ elements }) => elements, unit: count, least: 300 },
];

/**
 * A simulated day in the real window, with jobs by the hundred, a card that comes and goes, and an nvidia-smi that fails,
 * hangs and is killed: what is held in the last quarter against the third one. Half a day is for warming up: V8 takes
 * memory as long as nobody else wants it, and is slower to stop than the app is. Of the sampler, whose memory goes up and
 * down by tens of MiB for that reason, it counts what is left when its garbage was collected, at the end of a quarter.
 */
export const run: Bench = async (context): Promise<readonly BenchRow[]> => {
  if (process.platform !== 'linux') return [];
  const app = await openSoak(context, 'restless', speed);
  try {
    const readings = await readDay(app);
    const log = readFileSync(app.logFile, 'utf8');
    const errors = log.split('\n').filter((line) => /\[error\]|MaxListeners|unhandled/i.test(line));
    return [
      ...measures.map((measure) => compare(measure, readings)),
      mostRow(readings.flat()),
      errorRow(errors, app.complaints()),
    ];
  } finally {
    await app.close();
  }
};

/** The readings of the four quarters. */
async function readDay(app: SoakedApp): Promise<readonly (readonly SoakReading[])[]> {
  const quarterMs = ((daySeconds / speed) * 1000) / 4;
  const quarters: SoakReading[][] = [];
  let nextKill = Date.now() + killEveryMs;
  for (let quarter = 0; quarter < 4; quarter++) {
    const readings: SoakReading[] = [];
    const endsAt = Date.now() + quarterMs;
    while (Date.now() < endsAt) {
      if (Date.now() >= nextKill) {
        killOneNvidiaSmi(app.pid);
        nextKill += killEveryMs;
      }
      await wait(readEveryMs);
      readings.push(await app.read(endsAt - Date.now() < collectWithinMs));
    }
    quarters.push(readings);
  }
  return quarters;
}

function killOneNvidiaSmi(mainPid: number): void {
  const one = descendants(mainPid).find((pid) =>
    commandLine(pid).some((word) => word.endsWith('nvidiaSmi.cjs')),
  );
  if (one !== undefined) process.kill(one, 'SIGKILL');
}

function compare(
  { what, of, unit, least }: Measure,
  quarters: readonly (readonly SoakReading[])[],
): BenchRow {
  // The lowest of a quarter: what is held when the collector has just been there and no job is about.
  const lowest = (quarter: number): number =>
    Math.min(...(quarters[quarter] ?? []).map(of).filter((value) => value !== null));
  const third = lowest(2);
  const last = lowest(3);
  const allowed = Math.max(least, third * slack);
  return {
    what,
    measured: `${unit(last)} in the last quarter`,
    baseline: `${unit(third)} in the third`,
    result: `${last >= third ? '+' : '-'}${unit(Math.abs(last - third))}`,
    aim: `+${unit(allowed)}`,
    aimMet: last - third <= allowed,
  };
}

/** What V8 lets the sampler grow to where nobody presses it. */
function mostRow(readings: readonly SoakReading[]): BenchRow {
  const most = Math.max(...readings.map(({ samplerBytes }) => samplerBytes));
  return {
    what: 'most memory that the sampler held',
    measured: mib(most),
    baseline: '',
    result: mib(most),
    aim: null,
    aimMet: null,
  };
}

function errorRow(errors: readonly string[], complaints: readonly string[]): BenchRow {
  const all = [...errors, ...complaints];
  return {
    what: 'errors in log and page',
    measured: all.length === 0 ? 'none' : `${all.length}: ${all[0] ?? ''}`,
    baseline: '',
    result: count(all.length),
    aim: '0',
    aimMet: all.length === 0,
  };
}
