import type { LineSurroundings } from '../lines/context';

/** Whether the lines behind a failure show that the program dealt with it and went on to do its work. */
export function hasRecovered({ message, after }: LineSurroundings): boolean {
  const behind = after.split('\n').slice(0, nearLines).join('\n');
  return dealtWith.test(`${message}\n${behind}`) && wentOn.test(after) && !failedLater.test(after);
}

/** Whether the words themselves say that the program went another way. */
export function isDealtWith(text: string): boolean {
  return dealtWith.test(text);
}

const nearLines = 12;

/** What programs say when they try again with less: llama.cpp, accelerate, Lightning, Ultralytics, fairseq, Keras. */
const dealtWith =
  /\b(?:retry|retries|retrying|retried)\b|\b(?:trying|try|continuing|going on) (?:again|with(?:out)?|a smaller)\b|\bfall(?:ing|s)? ?back\b|\b(?:decreasing|reducing|halving|reduced|lowering) (?:the )?(?:micro[- ]?)?batch|\bskip(?:ping|ped)? (?:this |the )?(?:batch|step|sample)|\bbatch size \d{1,6} (?:failed|succeeded)|\busing CPU\b|\brecover(?:ed|ing)\b|\bbatch size finder\b|\bwill continue\b|\bnot a failure\b|\b(?:switching|switched|moving) to (?:CPU|tiled)|重试|回退|跳过/i;

/** Work that is done after it: a server that listens, steps that go on, a run that ends well. */
const wentOn =
  /\b(?:server is listening|listening on|application startup complete|model loaded|all slots are idle)\b|\b(?:training|run|job|test|evaluation|benchmark|generation|prompt|script)\b.{0,24}\b(?:complete[d]?|finished|executed|done|succeeded)\b|\b(?:finished|completed|done|succeeded|success)\b|\bsav(?:ed|ing) (?:model|checkpoint|to)\b|\bloss\W{1,4}\d|\bbatch size \d{1,6} succeeded|\bcontinue with\b|\b\d{1,3}%\|.{0,80}\| {0,8}\d{1,9}\/\d{1,9} \[|\b(?:step|iter|epoch)\W{1,3}\d|完成|成功/i;

const failedLater =
  /^[ \t]{0,80}(?:Traceback \(most recent|(?:[\w.]{1,60}\.)?\w{1,60}(?:Error|Exception): )|\b(?:aborted|aborting|giving up|gave up|exiting|terminate called|core dumped|FATAL)\b|\bfailed (?:after|again)\b/im;
