/**
 * What stands before a message on its line without belonging to it: quoting, a logger's time, level and place, the
 * host or container that shipped it. One step takes it off, so that grammars and rules know messages only.
 */

const months = 'Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec';
const date = String.raw`(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}(?:[-/.]\d{2,4})?|(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?(?:${months})[a-z]{0,6} {1,2}\d{1,2}(?:,? \d{4})?|\d{1,2}[ /-](?:${months})[a-z]{0,6}[ /-]\d{2,4})`;
const clock = String.raw`\d{1,2}:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?[AP]M)?(?:Z| ?[+-]\d\d:?\d\d| UTC| GMT)?(?: (?:[A-Z]{3,4} )?20\d\d)?`;
const stamp = String.raw`(?:${date}(?:T|,? {1,2}|:))?${clock}`;
const levels = 'DEBUG|INFO|NOTICE|WARNING|WARN|ERROR|ERR|CRITICAL|FATAL|SEVERE|TRACE|EXCEPTION';
/** `rich` pads a level to eight characters. */
const padded = '(?:DEBUG {3}|INFO {4}|WARNING |ERROR {3}|CRITICAL|FATAL {3}|NOTICE {2})';
/** Between two parts of a preface; the last space before a message may be the first of its indentation. */
const gap = String.raw`(?: {0,8}(?:-|\||:|>>) ?| )`;

interface Part {
  readonly pattern: RegExp;
  /** A part that could be a message's own words counts only behind a time, a level or a name in brackets. */
  readonly needs?: 'earlier part';
}

const parts: readonly Part[] = [
  // Quoting and lists.
  { pattern: /^\s{0,3}(?:> ?){1,6}(?=\s*\S)/ },
  { pattern: /^\s{0,8}(?:[-•]|\d{1,2}[.)]) (?=.*\S)/ },
  { pattern: /^\| (?!.*\|\s*$)/ },
  { pattern: /^E {3,}/ }, // pytest
  { pattern: new RegExp(String.raw`^(?:\[${stamp}\]| {8,20}) ${padded} `) }, // rich
  // A key of a record that spans lines, as an editor copies an error.
  { pattern: /^\s{0,8}"(?:message|evalue|ename|error|text|reason|name)": ?"/ },
  // Times, alone or in brackets with more: `[05/11 02:24:26 d2.engine.train_loop]:`, `[…: ERROR/ForkPoolWorker-3]`.
  { pattern: new RegExp(String.raw`^\s{0,4}\[\s?${stamp}(?:[\s,:][^\[\]]{0,60})?\]:?${gap}?`) },
  { pattern: new RegExp(String.raw`^\s{0,4}\(?${stamp}\)?(?=[\s|>\[-]|:\s)${gap}?`) },
  { pattern: /^\d{10}\.\d{1,9}(?: |$)/ },
  { pattern: /^\[[EWIF]?\s*\d{1,9}\.\d{6}\] ?/ }, // the kernel's seconds since boot
  { pattern: /^\[?[EWIF]\d{3,4} \d\d:\d\d:\d\d(?:\.\d{1,9})?(?: +\d{1,9})? [^\s\]]{1,200}:\d{1,6}\] ?/ }, // glog
  // Levels.
  { pattern: new RegExp(String.raw`^\s{0,4}(?:${levels}):[\w.]{1,60}:(?=\S|\s{2}|$)`) }, // Python's basicConfig
  {
    pattern: new RegExp(String.raw`^\s{0,12}(?:(?:${levels})(?: {0,8}[:|-](?=[ |]|$) ?| ))(?=.*\S)`),
  },
  { pattern: new RegExp(String.raw`^\s?[\[(<](?:${levels})[\])>]:?${gap}?`, 'i') },
  { pattern: new RegExp(String.raw`^\[(?:${levels})\|[^\[\]]{1,80}\] ?`) }, // transformers
  // Where in the code.
  { pattern: /^\s?[[({][\w./<>-]{1,100}\.\w{1,4}(?::|, line )\d{1,6}(?::[\w<>]{1,60})?[\])}]:? ?/ },
  { pattern: /^[\w./<>-]{1,100}\.(?:py|cc|cpp|h):\d{1,6}(?:\]| ?-| ?\|) ?/, needs: 'earlier part' },
  { pattern: /^\[(?!rank|default\d)[A-Za-z_][\w.:/@-]{0,80}\] ?-? ?/, needs: 'earlier part' },
  { pattern: /^[\w./<>@-]{1,80}(?::[\w.<>-]{1,60}){0,2} {0,12}(?:-|\|) /, needs: 'earlier part' },
  { pattern: /^(?:Task run|Flow run) '[^']{1,60}' - /, needs: 'earlier part' },
  { pattern: /^std(?:out|err) [FP] /, needs: 'earlier part' }, // a container's log file
  // Who shipped the line.
  { pattern: /^[A-Za-z][\w.-]{0,60} (?:kernel|[\w./-]{1,40}\[\d{1,9}\]): ?/ }, // syslog
  { pattern: /^(?:[\w./-]{1,40}\[\d{1,9}\]|python3?): /, needs: 'earlier part' },
  { pattern: /^[A-Za-z][\w.-]{0,60} {0,12}\| / }, // docker compose
  { pattern: /^\[(?:pod\/[^\s\]]{1,120}|[A-Za-z][\w.-]{0,60}:\d{1,5})\] ?/ }, // kubectl; a host and its rank
  {
    pattern: new RegExp(String.raw`^[\w./:[\]-]{1,60}(?: +[\w.-]{1,60})? +(?=\d{4}-\d\d-\d\d[T ]${clock}\s)`),
  },
  { pattern: /^##\[\w{1,20}\]/ }, // GitHub Actions
  { pattern: /^\[?std(?:err|out)\]?:? ?/i },
  { pattern: /^(?:SUBPROCESS|wandb): / },
  { pattern: /^\s?\[(?:GPU|Worker|Process|Node|Host) ?\d{1,5}\]:? ?/i },
];

/** Where the message begins: behind all that was put before it. */
export function prefaceLength(line: string, isBehindAnother: boolean): number {
  let at = 0;
  let taken = isBehindAnother;
  for (let count = 0; count < mostParts; count += 1) {
    const rest = line.slice(at, at + reach);
    if (!mayStart.test(rest)) break;
    const length = longestPart(rest, taken);
    if (length === 0) break;
    at += length;
    taken = true;
  }
  return at;
}

const mostParts = 10;
/** No part is longer. */
const reach = 400;
const mayStart = /^\s*["[(<>{|#/\w•-]/;

function longestPart(rest: string, taken: boolean): number {
  for (const { pattern, needs } of parts) {
    if (needs !== undefined && !taken) continue;
    const length = pattern.exec(rest)?.[0].length ?? 0;
    if (length > 0) return length;
  }
  return 0;
}

/** `rich` writes where a record came from at the right edge. */
const place = /(?<!\s)\s{2,}[\w-]{1,40}\.py:\d{1,6}\s*$/;

export function withoutPlace(text: string): string {
  return text.includes('.py:') ? text.replace(place, '') : text;
}
