/**
 * The time a line was written, in seconds, comparable only with times of the same `clock`: logs name the day in
 * different ways, and most leave out the year or the zone.
 */
export interface LineTime {
  readonly clock: 'date' | 'month-day' | 'uptime';
  readonly seconds: number;
}

const isoDate = /(\d{4})-(\d\d)-(\d\d)[ T](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?/;
const monthDay = /(?:^|\D)(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?/;
/** glog and c10d: `E0321 02:07:08.408271257`, with the month's zero missing in some PyTorch releases. */
const glog = /[EWIF](\d{1,2})(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?/;
const kernelUptime = /^(?:.{0,60}kernel: )?\[\s*(\d{1,9})\.(\d{6})\]/;
const daysBeforeMonth = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334] as const;
const secondsPerDay = 86_400;

/** The first time stamp near the start of a line (ISO, `MM-DD`, glog or the kernel's uptime); null without one. */
export function readTime(line: string): LineTime | null {
  const head = line.slice(0, 120);
  const iso = isoDate.exec(head);
  if (iso !== null) {
    const days = Math.floor(
      Date.UTC(Number(iso[1]), Number(iso[2]) - 1, Number(iso[3])) / 1000 / secondsPerDay,
    );
    return { clock: 'date', seconds: days * secondsPerDay + timeOfDay(iso, 4) };
  }
  const day = glog.exec(head) ?? monthDay.exec(head);
  if (day !== null) {
    const days = (daysBeforeMonth[Number(day[1]) - 1] ?? 0) + Number(day[2]);
    return { clock: 'month-day', seconds: days * secondsPerDay + timeOfDay(day, 3) };
  }
  const uptime = kernelUptime.exec(head);
  return uptime === null ? null : { clock: 'uptime', seconds: Number(`${uptime[1]}.${uptime[2]}`) };
}

function timeOfDay(match: RegExpExecArray, first: number): number {
  const [hours, minutes, seconds] = [match[first], match[first + 1], match[first + 2]].map(Number);
  return (hours ?? 0) * 3600 + (minutes ?? 0) * 60 + (seconds ?? 0) + Number(`0.${match[first + 3] ?? 0}`);
}
