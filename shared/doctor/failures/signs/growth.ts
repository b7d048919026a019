/**
 * Memory that a log prints step by step and that keeps rising: mmdetection's `memory: 5362`, detectron2's `max_mem`,
 * `max mem:` of torchvision's logger, the `15.8G` column of the YOLO trainers, `GPU mem 10.2 GB`.
 */
export interface Growth {
  readonly readings: number;
  /** In the log's own unit. */
  readonly first: number;
  readonly last: number;
}

const forms: readonly RegExp[] = [
  /\b(?:max|gpu|cuda|peak|used)?[ _-]?mem(?:ory)?(?:[ _](?:allocated|reserved|used|usage|cached))?\b["']?\s{0,4}[:=|]?\s{0,4}(\d{1,7}(?:\.\d{1,4})?)/i,
  /\b(?:allocated|reserved)(?: memory)?\s{0,3}(?:is|[:=])?\s{0,3}(\d{1,7}(?:\.\d{1,4})?)\s?[MG]/i,
  /^\s*\d{1,6}\/\d{1,6}\s+(\d{1,4}(?:\.\d{1,3})?)G\s/,
];
const leastReadings = 5;
const leastRise = 1.12;

/** The rise that the lines before a failure show; null where they show none or too little to call it one. */
export function readGrowth(before: string): Growth | null {
  const lines = before.split('\n');
  for (const form of forms) {
    const readings = lines.flatMap((line) => {
      const match = form.exec(line);
      return match === null ? [] : [Number(match[1])];
    });
    const growth = growthOf(readings);
    if (growth !== null) return growth;
  }
  return null;
}

/** Rising nearly always, and still in its second half: an allocator that warms up stops after a few steps. */
function growthOf(readings: readonly number[]): Growth | null {
  const [first] = readings;
  const last = readings.at(-1);
  const middle = readings[readings.length >> 1];
  if (first === undefined || last === undefined || middle === undefined) return null;
  if (readings.length < leastReadings || new Set(readings).size < leastReadings - 1) return null;
  const falls = readings.filter((reading, index) => index > 0 && reading < (readings[index - 1] ?? 0)).length;
  if (falls > readings.length * 0.1 || first <= 0) return null;
  if (last < leastRise * first || last - middle < (last - first) / 5) return null;
  return { readings: readings.length, first, last };
}
