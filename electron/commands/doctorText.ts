/** A diagnosis as lines for a terminal: the first failure in full, the others in short. */
import type { JudgedCause, Diagnosis, Failure } from '../../shared/doctor/types';
import { fixText } from '../../shared/doctor/view/fixText';
import { namedFacts } from '../../shared/doctor/view/facts';
import { headlineText, likelihoodText } from '../../shared/doctor/view/headline';
import { causeText, kindText } from '../../shared/doctor/view/kinds';
import { message, type Message } from '../../shared/i18n/message';
import { translate, type Locale } from '../../shared/i18n/translate';
import { printable } from '../../shared/printable';
import { formatBytes } from '../../shared/units';
import { columns } from './output';

type Words = (text: Message) => string;

/** Other failures shown in full length would hide the one that matters. */
const mostInShort = 20;

export function diagnosisLines(diagnosis: Diagnosis, locale: Locale): string[] {
  const words: Words = (text) => printable(translate(locale, text));
  const { failures, rootFailure, lines } = diagnosis;
  if (lines === 0) return [words(message('doctor.emptyText'))];
  if (failures.length === 0)
    return [words(message('doctor.nothingFound', { lines })), words(message('doctor.lastLinesTell'))];
  const root = failures[rootFailure ?? 0];
  const others = failures.filter((failure) => failure !== root);
  if (root === undefined) return [];
  return [
    headlineText(root, words),
    ...doFirst(root, words),
    ...failureLines(root, locale, words),
    ...(others.length === 0 ? [] : ['', words(message('doctor.found', { count: failures.length, lines }))]),
    ...others.slice(0, mostInShort).map((failure) => shortLine(failure, words)),
    ...(others.length <= mostInShort
      ? []
      : [words(message('doctor.moreFailures', { count: others.length - mostInShort }))]),
  ];
}

/** The second line: what to change first. */
function doFirst({ causes: [first] }: Failure, words: Words): string[] {
  const [fix] = first?.fixes ?? [];
  return fix === undefined ? [] : [words(message('doctor.doFirst', { fix: fixText(fix, words) }))];
}

function shortLine({ causes: [first], kind, line, rank }: Failure, words: Words): string {
  const what = words(first === undefined ? kindText(kind) : causeText(first.cause));
  return words(
    rank === null
      ? message('doctor.shortLine', { line, what })
      : message('doctor.shortLineOfRank', { line, rank, what }),
  );
}

function placeLine({ line, rank }: Failure, words: Words): string {
  return words(rank === null ? message('doctor.at', { line }) : message('doctor.atRank', { line, rank }));
}

function failureLines(failure: Failure, locale: Locale, words: Words): string[] {
  const [first, ...alternatives] = failure.causes;
  return [
    '',
    placeLine(failure, words),
    ...failure.excerpt
      .split('\n')
      .slice(0, 3)
      .map((line) => `  | ${printable(line).slice(0, 300)}`),
    ...factLines(failure, locale, words).map((line) => `  ${line}`),
    '',
    ...(first === undefined ? meaningLines(failure, words) : causeLines(first, words)),
    ...list(
      message('doctor.otherCauses'),
      alternatives.map((cause) => otherCause(cause, words)),
      words,
    ),
    ...list(message('doctor.notHelpful'), failure.notHelpful.map(words), words),
    ...list(message('doctor.missing'), failure.missing.map(words), words),
  ];
}

/** What the message means stands in the first line already. */
function meaningLines({ meaning }: Failure, words: Words): string[] {
  return meaning === null ? [words(message('doctor.noCause'))] : [];
}

function factLines(failure: Failure, locale: Locale, words: Words): string[] {
  return columns(
    namedFacts(failure.facts).map(({ name, bytes, index }) => [
      words(name),
      bytes === null ? String(index ?? '') : formatBytes(bytes, locale),
    ]),
  );
}

function otherCause({ cause, confidence }: JudgedCause, words: Words): string {
  return words(
    message('doctor.otherCause', {
      cause: words(causeText(cause)),
      likelihood: words(likelihoodText(confidence)),
    }),
  );
}

function causeLines(cause: JudgedCause, words: Words): string[] {
  const why = cause.evidence.map((text) => `  - ${words(text)}`);
  return [
    ...(why.length === 0 ? [] : [words(message('doctor.evidence')), ...why, '']),
    words(message('doctor.whatToChange')),
    ...cause.fixes.map((fix, place) => `  ${place + 1}. ${fixText(fix, words)}`),
  ];
}

function list(title: Message, items: readonly string[], words: Words): string[] {
  return items.length === 0 ? [] : ['', words(title), ...items.map((item) => `  - ${item}`)];
}
