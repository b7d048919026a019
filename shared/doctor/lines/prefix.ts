import type { Label } from './labels';
import { prefaceLength, withoutPlace } from './preface';

/**
 * What launchers put in front of every line: which rank it came from, and a key that tells the writers of an
 * interleaved log apart.
 */
export interface PrefixedLine {
  readonly text: string;
  readonly rank: number | null;
  /** Equal for lines of one writer; empty where the line carries no prefix. */
  readonly writer: string;
  /** What stood before the text. */
  readonly preface: string;
}

interface PrefixForm {
  readonly pattern: RegExp;
  /** Group 1 is the rank where there is one; group `writer` otherwise names the writer. */
  readonly hasRank: boolean;
}

/** In the order in which they can nest; each is tried again after another was taken off. */
const prefixForms: readonly PrefixForm[] = [
  { pattern: /^\s*\[rank[\s:=]{0,2}(\d{1,5})\]:? ?/i, hasRank: true }, // PyTorch 2.2 and newer, Lightning
  { pattern: /^\s*\[default(\d{1,5})\]:? ?/, hasRank: true }, // torchrun --tee
  { pattern: /^\s*\[[A-Za-z_]{1,20}\d{0,3}\|(\d{1,5})\]:? ?/, hasRank: true }, // torchrun roles
  {
    pattern: /^\s*\[\d{1,5},(?:mpirank:)?(\d{1,5})(?:,[\w.-]{1,40})?\]\s?<std(?:err|out)>:? ?/,
    hasRank: true,
  }, // mpirun --tag-output
  {
    pattern: /^\s*\[(\d{1,4})\]:? (?=\d{4}-\d\d-\d\d[ T]|Traceback \(|[A-Za-z_.]{3,60}Error: )/,
    hasRank: true,
  },
  { pattern: /^\s*(?:Rank|RANK|rank) (\d{1,5}): (?=\S)/, hasRank: true },
  { pattern: /^\s*\((?:[\w.:<>-]{1,60}\s+)?rank=(\d{1,5})[^()]{0,80}\) ?/, hasRank: true }, // vLLM workers
  { pattern: /^\s*\([\w.:<>-]{1,60}?_(?:TP|PP|DP|rank)_?(\d{1,5})[^()\d][^()]{0,60}\) ?/i, hasRank: true },
  { pattern: /^\s*\((?<writer>[\w.:<>-]{1,60} pid=\d{1,9}[^()]{0,60})\) ?/, hasRank: false }, // Ray
  { pattern: /^\s*(?<writer>[a-z][\w.-]{0,60}): (?=\[(?:rank|default)\d)/, hasRank: false },
  { pattern: /^\s*(?<writer>[a-z][\w.-]{0,40}-\d{1,4}): (?=\S)/, hasRank: false }, // pdsh, DeepSpeed hosts
  { pattern: /^\s*(?<writer>[a-z][\w.-]{0,40}[_-]\d{1,3})\s+\| /, hasRank: false }, // docker compose
];

/**
 * Takes everything off a cleaned line that launchers, loggers and quoting put before its message.
 * @param label what every line of the text carries (see `labelOf`)
 */
export function readPrefix(line: string, label: Label | null): PrefixedLine {
  let rank: number | null = null;
  let writer = '';
  let at = 0;
  const labelled = label?.pattern.exec(line) ?? null;
  if (label !== null && labelled !== null) {
    at = labelled[0].length;
    if (label.hasRank) {
      rank = Number(labelled[1]);
      writer = `rank ${rank}`;
    }
  }
  for (let depth = 0; depth < mostPrefixes; depth += 1) {
    const before = at;
    const match = launcherPrefix(line.slice(at));
    if (match !== null) {
      at += match.length;
      rank = match.rank ?? rank;
      writer = rank !== null ? `rank ${rank}` : writer === '' ? match.writer : writer;
    }
    at += prefaceLength(line.slice(at), at > 0);
    if (at === before) break;
  }
  return { text: withoutPlace(line.slice(at)), rank, writer, preface: line.slice(0, at) };
}

const mostPrefixes = 6;
const mayStartPrefix = /^\s*[[(A-Za-z0-9]/;

function launcherPrefix(text: string): { length: number; rank: number | null; writer: string } | null {
  if (!mayStartPrefix.test(text)) return null;
  for (const { pattern, hasRank } of prefixForms) {
    const match = pattern.exec(text);
    if (match === null) continue;
    return {
      length: match[0].length,
      rank: hasRank ? Number(match[1]) : null,
      writer: match.groups?.['writer'] ?? '',
    };
  }
  return null;
}
