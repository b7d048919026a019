import { advise } from './advice/advise';
import type { CountedFailure } from './failures/failureBook';
import type { Context } from './failures/readFailure';
import { explained, rootOf } from './failures/root';
import { judge } from './judging/judge';
import type { Diagnosis, Failure, Story } from './types';

/** The last two stages: from failures to causes, and from causes to advice. A listing that accuses nobody is no failure. */
export function diagnosisOf(counted: readonly CountedFailure[], lines: number): Diagnosis {
  const log = explained(counted.map(({ failure }) => failure));
  const answers = counted
    .filter(({ failure }) => log.includes(failure))
    .map(({ failure, occurrences }) => ({ failure, answer: answerTo({ failure, log }, occurrences) }))
    .filter(({ failure, answer }) => !listings.has(failure.story) || answer.causes.length > 0);
  return {
    failures: answers.map(({ answer }) => answer),
    rootFailure: rootOf(answers.map(({ failure }) => failure)),
    lines,
  };
}

/** Stories that are listings of a machine's state, not messages of a failure. */
const listings: ReadonlySet<Story> = new Set<Story>(['zombie', 'process-table']);

function answerTo(context: Context, occurrences: number): Failure {
  const { failure } = context;
  const causes = judge(context);
  const { format, line, rank, facts, role, excerpt } = failure;
  return {
    kind: causes[0]?.definition.kind ?? failure.kind,
    format,
    line,
    rank,
    facts,
    ...advise(context, causes),
    details: failure.fresh ? failure.details : { ...failure.details, numbersAreEarlier: 1 },
    role,
    occurrences,
    excerpt,
  };
}
