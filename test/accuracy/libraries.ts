/** Rows that were measured with the libraries that people train with: `libraries.jsonl.gz`, by `test/ground-truth/libraries.py`. */
import path from 'node:path';
import { H200 } from '../../shared/gpu/models';
import { forwardFor } from '../../shared/memory/chooseForward';
import type { Offload, Strategy } from '../../shared/memory/configuration';
import { simulate, summarise } from '../../shared/memory/simulation';
import type { Spread } from '../../shared/memory/training/distribution';
import { writtenZeroConfig } from '../../shared/memory/training/zero/config';
import { architectureOf, type MeasuredRun, readLines, settingsOf } from './measured';
import { summariseErrors } from './statistics';

const file = path.resolve(import.meta.dirname, '../fixtures/measured/libraries');
const configs = path.resolve(import.meta.dirname, '../fixtures/accuracy');

/** DeepSpeed 0.19.8 as rank 0 of a world whose collectives move nothing; peaks and reserved memory in bytes. */
export interface ZeroRow extends MeasuredRun {
  readonly group: string;
  readonly stage: 1 | 2 | 3;
  readonly world: number;
  readonly accum?: number;
  readonly offload?: Offload;
  /** Elements of a bucket, where they are others than the launch files write. */
  readonly bucket?: number;
  readonly peak_alloc: number;
  readonly reserved: number;
}

export const zeroRows = (): readonly ZeroRow[] =>
  readLines<ZeroRow>('', file).filter(({ error, group }) => group === 'zero' && error === undefined);

export interface ZeroPlay {
  readonly allocatedPeakBytes: number;
  readonly reservedPeakBytes: number;
}

/** What the simulation makes of a row. */
export function playZeroRow(row: ZeroRow): ZeroPlay {
  const architecture = architectureOf(configs, row);
  const strategies: Readonly<Record<1 | 2 | 3, Strategy>> = { 1: 'zero1', 2: 'zero2', 3: 'zero3' };
  const spread: Spread = {
    strategy: strategies[row.stage],
    world: row.world,
    offload: row.offload ?? 'none',
    rank: 0,
    pipeline: null,
    zero: {
      ...writtenZeroConfig,
      reduceBucketElements: row.bucket ?? writtenZeroConfig.reduceBucketElements,
    },
  };
  const settings = { ...settingsOf(row), accumulation: row.accum ?? 1, optimizer: 'adamw-fused' } as const;
  const { forward } = forwardFor(architecture);
  const simulation = simulate(architecture, forward, settings, H200, spread);
  const summary = summarise(
    simulation,
    { expandableSegments: false, limitBytes: null, addressOrder: 'falling' },
    0,
  );
  if (summary === null) throw new Error('A run without a limit completes.');
  return summary;
}

/** Relative errors of the allocated peak that DeepSpeed's rows keep to. */
const zeroLimits = { median: 0.001, nineteenOfTwenty: 0.002, worst: 0.003 } as const;

/** One line, and whether the claim is kept. */
export function sayZeroRows(say: (line: string) => void): boolean {
  const rows = zeroRows();
  const { median, nineteenOfTwenty, worst } = summariseErrors(
    rows.map((row) => playZeroRow(row).allocatedPeakBytes / row.peak_alloc - 1),
  );
  const kept =
    median <= zeroLimits.median &&
    nineteenOfTwenty <= zeroLimits.nineteenOfTwenty &&
    worst <= zeroLimits.worst;
  const percent = (share: number): string => `${(share * 100).toFixed(3)} %`;
  say(
    `${kept ? 'kept  ' : 'MISSED'} allocated, DeepSpeed's ZeRO: ${rows.length} rows, median ${percent(median)}, 95 % ${percent(nineteenOfTwenty)}, worst ${percent(worst)}`,
  );
  return kept;
}
