/**
 * What launchers put in front of every line: which rank it came from, and a key that tells the writers of an
 * interleaved log apart.
 */
export interface PrefixedLine {
  readonly text: string;
  readonly rank: number | null;
  /** Equal for lines of one writer; empty where the line carries no prefix. */
  readonly writer: string;
}

interface PrefixForm {
  readonly pattern: RegExp;
  /** Group 1 is the rank where there is one; group `writer` otherwise names the writer. */
  readonly hasRank: boolean;
}

/** In the order in which they can nest; each is tried again after another was taken off. */
const prefixForms: readonly PrefixForm[] = [
  { pattern: /^\s*\[rank\s?(\d{1,5})\]:? ?/i, hasRank: true }, // PyTorch 2.2 and newer
  { pattern: /^\s*\[default(\d{1,5})\]:? ?/, hasRank: true }, // torchrun --tee
  { pattern: /^\s*\[[A-Za-z_]{1,20}\d{0,3}\|(\d{1,5})\]:? ?/, hasRank: true }, // torchrun roles
  { pattern: /^\s*\[\d{1,5},(\d{1,5})\]\s?<std(?:err|out)>:? ?/, hasRank: true }, // mpirun --tag-output
  {
    pattern: /^\s*\[(\d{1,4})\]:? (?=\d{4}-\d\d-\d\d[ T]|Traceback \(|[A-Za-z_.]{3,60}Error: )/,
    hasRank: true,
  },
  { pattern: /^\s*\((?:[\w.:<>-]{1,60}\s+)?rank=(\d{1,5})[^()]{0,80}\) ?/, hasRank: true }, // vLLM workers
  { pattern: /^\s*\([\w.:<>-]{1,60}?_(?:TP|PP|DP|rank)_?(\d{1,5})[^()\d][^()]{0,60}\) ?/i, hasRank: true },
  { pattern: /^\s*\((?<writer>[\w.:<>-]{1,60} pid=\d{1,9}[^()]{0,60})\) ?/, hasRank: false }, // Ray
  { pattern: /^\s*(?<writer>SUBPROCESS): ?/, hasRank: false },
  { pattern: /^\s*(?<writer>[a-z][\w.-]{0,40}-\d{1,4}): (?=\S)/, hasRank: false }, // pdsh, DeepSpeed hosts
  { pattern: /^\s*(?<writer>[a-z][\w.-]{0,40}[_-]\d{1,3})\s+\| /, hasRank: false }, // docker compose
  { pattern: /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d) std(?:err|out) [FP] /, hasRank: false }, // container logs
  { pattern: /^\s*(?:>\s?){1,4}(?=\S)/, hasRank: false }, // quoted mail or Markdown
  { pattern: /^E {3,}/, hasRank: false }, // pytest
];

/** Takes the prefixes off a cleaned line. `srunLabels`: the text comes from `srun -l`, whose label is `3: `. */
export function readPrefix(line: string, srunLabels: boolean): PrefixedLine {
  let text = line;
  let rank: number | null = null;
  let writer = '';
  if (srunLabels) {
    const label = srunLabel.exec(text);
    if (label !== null) {
      rank = Number(label[1]);
      writer = `rank ${rank}`;
      text = text.slice(label[0].length);
    }
  }
  for (let depth = 0; depth < 4 && mayStartPrefix.test(text); depth += 1) {
    const before = text;
    for (const form of prefixForms) {
      const match = form.pattern.exec(text);
      if (match === null) continue;
      text = text.slice(match[0].length);
      if (form.hasRank) rank = Number(match[1]);
      writer = rank !== null ? `rank ${rank}` : writer === '' ? (match.groups?.['writer'] ?? '') : writer;
      break;
    }
    if (text === before) break;
  }
  return { text, rank, writer };
}

const mayStartPrefix = /^\s*[[(>A-Za-z0-9]/;
const srunLabel = /^ {0,3}(\d{1,4}): /;

/** Whether most lines carry srun's label and the labels come back, unlike the numbers of `grep -n`. */
export function hasSrunLabels(lines: readonly string[]): boolean {
  const seen = new Set<string>();
  let labelled = 0;
  let filled = 0;
  for (const line of lines) {
    if (line.trim() === '') continue;
    filled += 1;
    const label = srunLabel.exec(line)?.[1];
    if (label === undefined) continue;
    labelled += 1;
    seen.add(label);
  }
  return filled >= 3 && labelled >= filled * 0.8 && seen.size <= labelled / 2;
}
