/** The middle of the values, the mean of both middles where they are even in number; 0 of none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

/** Null where nothing is known; else the sum of what is. */
export function sumOfKnown(values: readonly (number | null)[]): number | null {
  return values.reduce<number | null>((sum, value) => addKnown(sum, value), null);
}

/** The sum of two values; where one is not known it is the other, null where neither is. */
export function addKnown(left: number | null, right: number | null): number | null {
  return left === null ? right : right === null ? left : left + right;
}
