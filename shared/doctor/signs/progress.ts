import type { Surroundings } from '../text/context';

/** The progress bar or step counter nearest to a message. */
export interface Progress {
  readonly phase: 'training' | 'evaluation' | 'loading';
  readonly done: number;
  readonly total: number | null;
}

interface ProgressForm {
  /** Groups: 1 the label where there is one, 2 done, 3 total. */
  readonly pattern: RegExp;
}

const forms: readonly ProgressForm[] = [
  // tqdm, also with the bar left out: "Valid epoch 1:   9%|##  | 1/11 [00:01<00:13"
  { pattern: /([^\n%]{0,160}?)\b\d{1,3}%[|\s][^\n]{0,200}?\b(\d{1,9})\/(\d{1,9})\s*\[/g },
  // fairseq: "epoch 001:  11125 / 140589 loss=5.185"
  { pattern: /((?:train|valid|test|epoch)[^\n:]{0,40}):\s+(\d{1,9})\s*\/\s*(\d{1,9})\s/gi },
  // mmdetection, torchvision: "Epoch [1][50/7330]", "Epoch: [0][511/1736]", "Test:  [ 10/500]"
  { pattern: /((?:epoch|test|val|eval)\b[^\n/]{0,30})\[\s*(\d{1,9})\/(\d{1,9})\]/gi },
  // "step 1200/10000", "iter: 1999", "global_step=40", "it 350"
  { pattern: /((?:global_?)?(?:step|iter(?:ation)?))[\s:=#]{1,4}(\d{1,9})(?:\s*\/\s*(\d{1,9}))?/gi },
];

const evaluationLabel =
  /\b(?:valid(?:ation|ating)?|val|eval(?:uat\w*)?|test(?:ing)?|predict\w*)\b|验证|评估/i;
const loadingLabel =
  /shard|load|download|fetch|map\b|tokeni[sz]|filter|extract|import|quanti[sz]|generating .{0,20}split|captur/i;

/** The last progress printed before or in the message; where there is none, the first after it. */
export function readProgress(around: Surroundings): Progress | null {
  return lastProgress(`${around.before}\n${around.message}`) ?? lastProgress(around.after);
}

function lastProgress(text: string): Progress | null {
  let last: { index: number; progress: Progress } | null = null;
  for (const { pattern } of forms) {
    for (const match of text.matchAll(pattern)) {
      if (last !== null && match.index < last.index) continue;
      last = { index: match.index, progress: progressOf(match) };
    }
  }
  return last?.progress ?? null;
}

function progressOf(match: RegExpMatchArray): Progress {
  const label = match[1] ?? '';
  const phase = loadingLabel.test(label)
    ? 'loading'
    : evaluationLabel.test(label)
      ? 'evaluation'
      : 'training';
  return { phase, done: Number(match[2]), total: match[3] === undefined ? null : Number(match[3]) };
}
