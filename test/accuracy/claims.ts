/** What counts as right (`memory-model.md`), in relative errors. */
import type { MeasuredRow } from './measured';
import type { RowResult } from './rows';
import type { ErrorSummary } from './statistics';

export interface Claim {
  readonly name: string;
  readonly covers: (result: RowResult) => boolean;
  readonly error: (result: RowResult) => number | null;
  readonly limits: Pick<ErrorSummary, 'median' | 'nineteenOfTwenty' | 'worst'>;
}

/** Models that have two-layer traces in `data/measured` and are no mixture of experts. */
const TRACED =
  /^(tinyllama|llama|mistral|qwen2\.5|qwen3|gemma|gemma2|gpt2|phi|phi-3|opt|pythia|bert|vit|t5)-/;

const onOneCard = ({ strategy }: MeasuredRow): boolean => strategy === undefined || strategy === 'single';

const isDense = ({ row }: RowResult): boolean =>
  onOneCard(row) && (TRACED.test(row.model) || row.model === 'gpt2') && row.optim !== 'adafactor';

export const claims: readonly Claim[] = [
  {
    name: 'allocated, dense families with traces, one card',
    covers: isDense,
    error: ({ allocatedError }) => allocatedError,
    limits: { median: 0.0001, nineteenOfTwenty: 0.003, worst: 0.02 },
  },
  {
    name: 'allocated, all other rows',
    covers: (result) => !isDense(result),
    error: ({ allocatedError }) => allocatedError,
    limits: { median: 0.005, nineteenOfTwenty: 0.03, worst: 0.08 },
  },
  {
    name: 'allocated, FSDP and DDP with accumulation',
    covers: ({ row }) => row.sync !== undefined,
    error: ({ allocatedError }) => allocatedError,
    limits: { median: 0.0001, nineteenOfTwenty: 0.003, worst: 0.005 },
  },
  {
    name: 'process, one card',
    covers: ({ row }) => onOneCard(row),
    error: ({ processError }) => processError,
    limits: { median: 0.002, nineteenOfTwenty: 0.02, worst: 0.08 },
  },
  {
    name: 'reserved, rows with ranks',
    covers: ({ row }) => !onOneCard(row),
    error: ({ reservedError }) => reservedError,
    limits: { median: 0.03, nineteenOfTwenty: 0.12, worst: 0.3 },
  },
];

/** The interval of the process on one card: how often it must hold the truth, and how wide it may be in the median. */
export const INTERVAL_COVERAGE = 0.95;
export const INTERVAL_WIDTH = 0.04;

/** The largest micro-batch: how often exact, how far away otherwise, and how often it may be too high. */
export const LARGEST_EXACT = 0.9;
export const LARGEST_DISTANCE = 0.05;
export const LARGEST_TOO_HIGH = 0.02;

/**
 * Peak of a two-layer trace, and how many must keep to it: a communicator's watchdog thread now and then holds DDP's first bucket
 * into the next step.
 */
export const TRACE_PEAK = 0.001;
export const TRACE_SHARE = 0.99;
