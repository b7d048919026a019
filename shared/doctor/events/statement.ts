/**
 * Whether a line says that an error happened, or only talks about one: a comment, a setting, an `except` clause, an
 * advice or a test's name also contain "CUDA out of memory".
 */
export function statesError(line: string, phrase: RegExp): boolean {
  const match = phrase.exec(line);
  if (match === null) return false;
  const before = line.slice(0, match.index);
  const after = line.slice(match.index + match[0].length);
  if (sourceCode.test(before) || comment.test(before) || hedged.test(before)) return false;
  if (!endsStatement.test(after) || handled.test(after)) return false;
  return (
    onlyPunctuation.test(before) ||
    raised.test(before) ||
    told.test(before) ||
    (severe.test(before) && /[:|\])>–-]\s*["'(]?$/.test(before))
  );
}

const sourceCode =
  /\b(?:raise|except|assert|print|pytest\.raises|catch|return|def|elif|if|(?<!results? )in)\b[^:]{0,60}["'(]?$|str\(|==\s*["']?$/i;
const comment = /^\s*(?:#|\/\/|--\s)/;
const hedged =
  /\b(?:avoid|prevent|against|without|no|not|never|handle[sd]?|retry|retries|recover|reduce[sd]?|in case of|risk of|may|might|could|would|should|will|test(?:s|ed|ing)?|e\.g\.|example)\b[^.;]{0,40}$/i;
const endsStatement =
  /^(?:\s*$|\s*[.!,;:)\]}"'|*\\\u3002-]|\s*\(|\s*errors?(?:\s*[.!:])?\s*$|\s*Tried|\s*while|\s*at\b)/;
/** A program that finds its batch by trying goes on. */
const handled = /^\W{0,3}(?:retry\w*|trying|reduc\w*|halving)\b.{0,30}\bbatch\b/i;
const onlyPunctuation = /^[^A-Za-z\u4e00-\u9fff]*$/;
const raised =
  /(?:Error|Exception|what\(\)|fail(?:ed|ure)?|results? in|exception|crash(?:ed)?|abort(?:ed)?|caught|due to|terminated|\u9519\u8bef|\u5f02\u5e38|\u5931\u8d25|\u62a5\u9519)(?: with| by| due to| because of)?\W{0,6}$/i;
/** A person who says what they see. */
const told =
  /\b(?:fails?|failed|dies|died|crash(?:es|ed)?|stops|stopped|got|gets?|gives?|says?|prints?|shows?|saw|see)\b[^.;:]{0,40}: ?["'`]?$/i;
const severe = /\b(?:ERROR|ERR|CRITICAL|FATAL|WARN(?:ING)?|SEVERE|E\d{3,4}|Error|Warning)\b|^E /;

/**
 * Whether a line only talks of what a pattern found in it: source code, a comment, an explanation of what an exit code
 * would mean, or a word that denies it.
 * @param before the line up to what was found
 */
export function talksOfIt(line: string, before: string): boolean {
  if (comment.test(line) || sourceCode.test(before) || denial.test(before)) return true;
  return explanation.test(line) && !exception.test(line);
}

/** The last line of a traceback explains what it says at length. */
const exception = /^\s*[\w.]{1,80}(?:Error|Exception|Usage|Argument): \S/;

const explanation =
  /\b(?:means|indicates|usually|for example|e\.g\.|if (?:you|the|it|your|an?)|when (?:you|the|an?))\b|\bif\b.{0,30}\bexit/i;
/** A 0 behind one of these, or within a name (`pod-n0-0`, `[0]`), is a number, not an amount. */
const numbered = '(?:process|rank|worker|task|node|gpu|pid|job|replica|device)[ :=#]{1,2}';
const denial = new RegExp(
  String.raw`\b(?:no|not|never|without|none|zero|(?<!${numbered})(?<![^\s(])0)\b[^.;:]{0,30}$`,
  'i',
);
