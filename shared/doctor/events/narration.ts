import type { LogLine } from '../lines/lines';
import { isFrame } from '../lines/traceback';

/**
 * Texts that hold the words of a failure and report none: source code, scripts, patches, histories, help texts. The
 * lines themselves show it, so that a log which lists the script it ran is still read.
 */
export function isNarration(lines: readonly LogLine[], index: number): boolean {
  const line = lines[index];
  const text = line?.text ?? '';
  if (text.length > longestLine) return false;
  // `raise X("error: …")` has the look of a logger's line.
  const whole = `${line?.preface ?? ''}${text}`;
  return (
    isCode(text.replace(grepPlace, '')) ||
    (whole !== text && isCode(whole)) ||
    isExplanation(text) ||
    passedTest.test(whole) ||
    isShownCode(lines, index) ||
    isOption(lines, index) ||
    isHistory(lines, index) ||
    isPatch(lines, index)
  );
}

/** A test whose name or parameter is the message, and which passed. */
const passedTest = /^\S{1,200}::\w.{0,400}\s(?:PASSED|SKIPPED|XFAIL(?:ED)?)\b/;

/** No person writes longer lines of code, help or history. */
const longestLine = 500;

/** A statement of a program: its words stand in a literal, a comment or a condition, and nothing has happened yet. */
function isCode(text: string): boolean {
  return codeForms.some((form) => form.test(text));
}

/** `grep -n` puts file and line before what it found. */
const grepPlace = /^[\w./-]{1,120}\.\w{1,5}:\d{1,6}:/;

/** A question, its answer, or a sentence about what a message would mean. */
function isExplanation(text: string): boolean {
  return explanations.some((form) => form.test(text)) && !raisedAtStart.test(text);
}

const explanations: readonly RegExp[] = [
  /^\s*(?:#{1,6} |[-*] |\*\*)?(?:Q|A|问|答)\d{0,2}[:.)：]/,
  /\b(?:why|what|how|can|does|should|which)\b.{0,200}\?[\s*"']*$/i,
  /\b(?:means|indicates) (?:that|your|the|you)\b/i,
  /^\s*(?:[-*>] |\d[.)] )?(?:if|when|in case|whenever|should) (?:you|your|the|a|an|it|this)\b.{0,60}\b(?:see|get|run|encounter|hit|is|are|was|gets|fails|crashes|reports|appears|occurs|still)\b/i,
  /\b(?:errors?|messages?|exceptions?) (?:such as|like|similar to)\b/i,
];
const raisedAtStart = /^\s*(?:[\w.]{1,60}\.)?\w{1,60}(?:Error|Exception): /;

const codeForms: readonly RegExp[] = [
  // Comments. In a log `#` begins nothing, and `//` only addresses.
  /^\s*(?:#(?!\d)(?!\s*\d+\s)|\/\/|\/\*|--\s|<!--|;;|REM\b)/,
  // Statements with a literal: `print("…")`, `raise X("…")`, `if "…" in str(e):`, `msg = "…"`, `logger.error("…")`.
  /^\s*(?:await |return |raise |throw (?:new )?|yield |assert |self\.)?(?:[A-Za-z_][\w.:]{0,60}|\$\w{1,30})\s?\(.{0,60}["'`].{0,400}["'`].{0,80}\)\s{0,8}[;,:)]{0,4}\s{0,8}(?:[#/].*)?$/,
  /^\s*(?:if|elif|else if|while|unless|when|case|assert|return|raise|throw|except|catch|expect|with)\b.{0,200}["'`(].{0,400}["'`):{]\s{0,8}[:;{]?\s{0,8}(?:[#/].*)?$/,
  /^\s*(?:const |let |var |static |final |export |local )?[A-Za-z_][\w.[\]]{0,60}(?:: ?\w{1,30})? ?[+:]?= ?[frbu]{0,2}["'`].{0,400}["'`]\s{0,8}[;,)]?\s{0,8}(?:[#/].*)?$/,
  /^\s*(?:except|catch)\b/,
  // A literal that the line does not end, as `\n` cuts it; a remark behind a setting.
  /^\s*(?:[\w.:]{0,30}(?:print|log|warn|error|echo|write|throw|raise)\w{0,20})\s?\(.{0,60}["'`][^"'`]{0,400}$/i,
  /^\s*[\w.-]{1,60}: \S.{0,200}\s#\s/,
  // A literal on a line of its own, as a list or a call over several lines has them.
  /^\s*[frbu]{0,2}(["']).{0,400}\1\s*[,;)\]}]{1,4}\s*$/,
  // A pattern, a rule or a title in a file of settings.
  /^\s*(?:- )?(?:pattern|match(?:es)?|regex|expr|contains|name|title|description|summary|label|alert|hint|help|value|text):\s(["']).{0,400}\1\s*$/,
  // Shells.
  /^\s*(?:if|elif|while|until|for)\b.{1,440};\s{0,4}(?:then|do)\s*$/,
  /^\s*(?:echo|printf|export|alias|trap|grep|sed|awk|curl|sudo)\s+\S|^\s*\[\[? .{1,200} \]\]?|(?:\|\||&&) (?:echo|exit|true|retry)\b|^#!/,
  /^\s*(?:case|esac|then|else|fi|do|done)\b.{0,80}$|;;\s*$/,
];

/** Code that a traceback shows below a frame; what was raised stands at the traceback's end. */
function isShownCode(lines: readonly LogLine[], index: number): boolean {
  const text = lines[index]?.text ?? '';
  const above = lines[index - 1]?.text ?? '';
  return /^\s{2,}\S/.test(text) && isFrame(above) && /^\s*File ["']/.test(above) && codeOfFrame.test(text);
}

const codeOfFrame = /[()=]|^\s*(?:raise|return|assert)\b/;

/** An option of a program's help, or a line of what is said of it. */
function isOption(lines: readonly LogLine[], index: number): boolean {
  const own = indentOf(lines[index]?.text ?? '');
  for (let at = index; at >= Math.max(0, index - mostHelpLines); at -= 1) {
    const text = lines[at]?.text ?? '';
    if (option.test(text)) return true;
    if (text.trim() === '' || (at < index && indentOf(text) < own) || own < leastHelpIndent) return false;
  }
  return false;
}

const option =
  /^\s{0,12}-{1,2}[A-Za-z][\w-]{0,60}(?:[ =,]{1,2}(?:-{1,2}[\w-]{1,60}|[A-Z][A-Z_]{0,30}|[<[{][^\s]{1,60}[>\]}]|\w{1,20})){0,3}(?:\s{2,}\S|\s*$)/;
const mostHelpLines = 12;
const leastHelpIndent = 8;

function indentOf(text: string): number {
  return text.length - text.trimStart().length;
}

/** A commit of a history, by its hash or below one; an entry of a list of changes. */
function isHistory(lines: readonly LogLine[], index: number): boolean {
  const text = `${lines[index]?.preface ?? ''}${lines[index]?.text ?? ''}`;
  if (oneLineCommit.test(text) || changeEntry.test(text)) return true;
  if (!/^\s{4}\S|^\s{4}\s*[-*] /.test(text)) return false;
  for (let at = index - 1; at >= Math.max(0, index - mostHistoryLines); at -= 1) {
    const above = lines[at]?.text ?? '';
    if (/^commit [0-9a-f]{7,40}\b/.test(above)) return true;
    if (!/^\s{4}|^\s*$|^(?:Author|Date|Merge|AuthorDate|Commit|CommitDate): /.test(above)) return false;
  }
  return false;
}

const oneLineCommit =
  /^[*|\\/ ]{0,12}(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,40} (?:\([^)]{1,80}\) )?[A-Za-z[#]/;
const changeEntry =
  /^\s{0,6}(?:[-*•] )?(?:\*\*)?(?:fix(?:es|ed)?|feat|docs|chore|refactor|perf|test|ci|add(?:s|ed)?|handle[sd]?|avoid(?:s|ed)?|prevent(?:s|ed)?|improve[sd]?|bump(?:ed)?|revert(?:s|ed)?)(?:\([\w/,. -]{1,40}\))?(?:\*\*)?!?(?::| ).{0,200}(?:out of memory|\boom\b|killed|memory)/i;
const mostHistoryLines = 40;

/** A line of a patch below its hunk's head. */
function isPatch(lines: readonly LogLine[], index: number): boolean {
  if (!/^[-+ ]/.test(lines[index]?.text ?? '')) return false;
  for (let at = index - 1; at >= Math.max(0, index - mostPatchLines); at -= 1) {
    const above = lines[at]?.text ?? '';
    if (/^@@ -\d+(?:,\d+)? \+\d+/.test(above)) return true;
    if (!/^[-+ \\]|^$/.test(above)) return false;
  }
  return false;
}

const mostPatchLines = 80;
