/**
 * The path of a small area chart of `width` x `height`: values between 0 and `top` over the times from `fromTime` to
 * `toTime`. Unknown values leave a gap. Empty where fewer than two values are known in a row.
 */
export function sparklinePath(
  times: readonly number[],
  values: readonly (number | null)[],
  frame: { readonly fromTime: number; readonly toTime: number; readonly top: number },
  width: number,
  height: number,
): string {
  const span = frame.toTime - frame.fromTime;
  if (span <= 0 || frame.top <= 0) return '';
  return runs(times, values)
    .filter((run) => run.length > 1)
    .map((run) => {
      const points = run.map(([time, value]) => {
        const x = ((time - frame.fromTime) / span) * width;
        const y = height - (Math.min(value, frame.top) / frame.top) * height;
        return `${round(x)} ${round(y)}`;
      });
      const [first] = run;
      const last = run[run.length - 1];
      if (first === undefined || last === undefined) return '';
      const startX = round(((first[0] - frame.fromTime) / span) * width);
      const endX = round(((last[0] - frame.fromTime) / span) * width);
      return `M${startX} ${height}L${points.join('L')}L${endX} ${height}Z`;
    })
    .join('');
}

function runs(
  times: readonly number[],
  values: readonly (number | null)[],
): readonly (readonly (readonly [number, number])[])[] {
  const all: [number, number][][] = [[]];
  times.forEach((time, index) => {
    const value = values[index] ?? null;
    if (value === null) all.push([]);
    else all[all.length - 1]?.push([time, value]);
  });
  return all;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
