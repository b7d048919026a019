/** Whether two sets hold the same numbers. */
export function isSameSet(left: ReadonlySet<number>, right: ReadonlySet<number>): boolean {
  if (left.size !== right.size) return false;
  for (const one of left) if (!right.has(one)) return false;
  return true;
}
