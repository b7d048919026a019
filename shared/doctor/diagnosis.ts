import { missingFor } from './advice/missing';
import { notHelpfulFor } from './advice/notHelpful';
import type { CaseInLog } from './case';
import type { CountedCase } from './caseBook';
import { meaningOf } from './advice/meaning';
import { causeKinds } from './causes';
import { judge } from './judge';
import { explained, rootOf } from './root';
import type { Diagnosis, Failure } from './types';

/** Judges every case beside the others of its log. A listing that accuses nobody is no failure. */
export function diagnosisOf(counted: readonly CountedCase[], lines: number): Diagnosis {
  const log = explained(counted.map(({ it }) => it));
  const judged = counted
    .filter(({ it }) => log.includes(it))
    .map(({ it, occurrences }) => ({ it, failure: failureOf({ it, log }, occurrences) }))
    .filter(({ it, failure }) => !listings.has(it.story) || failure.causes.length > 0);
  return {
    failures: judged.map(({ failure }) => failure),
    rootFailure: rootOf(judged.map(({ it }) => it)),
    lines,
  };
}

/** Stories that are listings of a machine's state, not messages of a failure. */
const listings: ReadonlySet<string> = new Set(['zombie', 'process-table']);

function failureOf(at: CaseInLog, occurrences: number): Failure {
  const { it } = at;
  const causes = judge(at);
  const first = causes[0];
  return {
    kind: first === undefined ? it.kind : causeKinds[first.cause],
    format: it.format,
    line: it.line,
    rank: it.rank,
    facts: it.facts,
    causes,
    meaning: first === undefined ? meaningOf(at) : null,
    notHelpful: notHelpfulFor(at, causes),
    missing: missingFor(at, causes),
    details: it.fresh ? it.details : { ...it.details, numbersAreEarlier: 1 },
    role: it.role,
    occurrences,
    excerpt: it.excerpt,
  };
}
