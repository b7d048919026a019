/** What a list of relative errors comes to. */

export interface ErrorSummary {
  readonly rows: number;
  readonly median: number;
  readonly nineOfTen: number;
  readonly nineteenOfTwenty: number;
  readonly worst: number;
  /** Positive: played too high. */
  readonly signedMean: number;
}

export function summariseErrors(errors: readonly number[]): ErrorSummary {
  const sizes = errors.map(Math.abs).sort((a, b) => a - b);
  return {
    rows: errors.length,
    median: quantile(sizes, 0.5),
    nineOfTen: quantile(sizes, 0.9),
    nineteenOfTwenty: quantile(sizes, 0.95),
    worst: quantile(sizes, 1),
    signedMean: errors.reduce((sum, error) => sum + error, 0) / Math.max(1, errors.length),
  };
}

/** The smallest value that `share` of the sorted values do not exceed; 0 of none. */
export function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}
