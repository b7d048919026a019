import type { LineSurroundings } from '../../lines/context';

/** The progress bar or step counter nearest to a message. */
export interface TrainingProgress {
  readonly phase: 'training' | 'evaluation' | 'loading';
  readonly done: number;
  readonly total: number | null;
}

/** Ways to print it; group 1 is done, group 2 the total. What stands before it in its line is its label. */
const forms: readonly RegExp[] = [
  // tqdm, also with the bar left out: "Valid epoch 1:   9%|##  | 1/11 [00:01<00:13"
  /\b\d{1,3}%[|\s][^\n]{0,200}?\b(\d{1,9})\/(\d{1,9})\s?\[/g,
  // tqdm without a total: "217it [12:27,  5.54s/it]"
  /\b(\d{1,9})it \[\d/g,
  // fairseq: "epoch 001:  11125 / 140589 loss=5.185"
  /: {1,8}(\d{1,9}) ?\/ ?(\d{1,9})\s/g,
  // mmdetection, torchvision: "Epoch [1][50/7330]", "Epoch: [0][511/1736]", "Test:  [ 10/500]"
  /\[ {0,8}(\d{1,9})\/(\d{1,9})\]/g,
  // "step 1200/10000", "iter: 1999", "global_step=40"
  /\b(?:global_?)?(?:step|iter|iteration)[ :=#]{1,4}(\d{1,9})(?: ?\/ ?(\d{1,9}))?/gi,
];

const labelCharacters = 100;
const countLabel = /it \[|epoch|train|valid|val\b|test|eval|step|iter|%|验证|评估|训练/i;
const evaluationLabel =
  /\b(?:valid(?:ation|ating)?|val|eval(?:uat\w*)?|test(?:ing)?|predict\w*)\b|验证|评估/i;
const loadingLabel =
  /shard|load|download|fetch|map\b|tokeni[sz]|filter|extract|import|quanti[sz]|generating .{0,20}split|captur/i;

/** The last progress printed before or in the message; where there is none, the first lines after it. */
export function readProgress(around: LineSurroundings): TrainingProgress | null {
  return lastProgress(`${around.before}\n${around.message}`) ?? lastProgress(around.after);
}

function lastProgress(text: string): TrainingProgress | null {
  const lines = text.split('\n');
  for (let index = lines.length - 1; index >= 0; index -= 1) {
    const progress = progressOf(lines[index] ?? '');
    if (progress !== null) return progress;
  }
  return null;
}

function progressOf(line: string): TrainingProgress | null {
  if (!/\d/.test(line)) return null;
  let last: RegExpMatchArray | null = null;
  for (const form of forms)
    for (const match of line.matchAll(form))
      if (last === null || match.index > (last.index ?? 0)) last = match;
  if (last === null) return null;
  const label = line.slice(Math.max(0, (last.index ?? 0) - labelCharacters), last.index);
  if (!countLabel.test(`${label}${last[0]}`)) return null;
  const phase = loadingLabel.test(label)
    ? 'loading'
    : evaluationLabel.test(label)
      ? 'evaluation'
      : 'training';
  return { phase, done: Number(last[1]), total: last[2] === undefined ? null : Number(last[2]) };
}
