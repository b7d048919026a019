/**
 * A label that (nearly) every line of a text carries and that no single line could be told by: `srun -l`'s `3: `,
 * `[3] `, the numbers of `cat -n`, the file and line of `grep -n`, a host's or a pod's name.
 */
export interface Label {
  readonly pattern: RegExp;
  /** Whether group 1 is a rank. */
  readonly hasRank: boolean;
}

interface LabelForm extends Label {
  /** What tells the form from lines that only begin alike; group 1 of each labelled line, in order. */
  readonly fits: (names: readonly string[]) => boolean;
}

const forms: readonly LabelForm[] = [
  { pattern: /^ {0,3}(\d{1,4}): /, hasRank: true, fits: comeBack },
  { pattern: /^\s?\[(\d{1,4})\]:? (?!.{0,40}NCCL)/, hasRank: true, fits: comeBack },
  { pattern: /^\s?\(?(?:rank|RANK|Rank)[ :=]{0,2}(\d{1,5})\)?[:|\]] ?/, hasRank: true, fits: comeBack },
  { pattern: /^\s?(?:GPU|gpu) ?(\d{1,3}): /, hasRank: false, fits: comeBack },
  { pattern: /^\s{0,8}(\d{1,9})(?:\t|:| {2})/, hasRank: false, fits: countOn },
  { pattern: /^[\w./-]{1,120}\.\w{2,4}:(\d{1,9}):/, hasRank: false, fits: countUp },
  {
    pattern:
      /^(?![\w.-]{0,60}(?:Error|Exception|Warning))((?=[\w-]{0,60}[\d.-])[a-z][\w.-]{1,60})(?:: | [a-z][\w-]{1,40} )(?=\s*\S)/,
    hasRank: false,
    fits: fewNames,
  },
];

const leastShare = 0.8;
const leastLines = 3;

/** The label of a text's lines; null where they carry none. */
export function labelOf(lines: readonly string[]): Label | null {
  const filled = lines.filter((line) => line.trim() !== '');
  if (filled.length < leastLines) return null;
  for (const form of forms) {
    const names = filled.flatMap((line) => form.pattern.exec(line)?.[1] ?? []);
    if (names.length >= leastLines && names.length >= filled.length * leastShare && form.fits(names))
      return form;
  }
  return null;
}

function comeBack(names: readonly string[]): boolean {
  return new Set(names).size <= names.length / 2;
}

/** `ps` numbers its lines upwards, too, but not one by one. */
function countOn(names: readonly string[]): boolean {
  return names.every((name, index) => index === 0 || Number(name) === Number(names[index - 1]) + 1);
}

function countUp(names: readonly string[]): boolean {
  return names.every((name, index) => index === 0 || Number(name) > Number(names[index - 1]));
}

function fewNames(names: readonly string[]): boolean {
  return new Set(names).size <= Math.max(1, names.length / 4);
}
