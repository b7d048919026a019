import type { Case } from './case';
import { quantitiesOf } from './quantities';
import { readGrowth } from './signs/growth';
import { readProgress } from './signs/progress';
import { readSigns } from './signs/signs';
import type { Surroundings } from './text/context';
import type { LogLine } from './text/lines';
import { noFacts, type FailureKind } from './types';

const excerptCharacters = 400;

/** A case of a text that holds no message of any grammar: no facts, only the line that tells of it and its surroundings. */
export function bareCase(
  format: string,
  story: string,
  kind: FailureKind,
  line: LogLine,
  around: Surroundings,
): Case {
  return {
    format,
    formats: [format],
    story,
    kind,
    role: 'cause',
    line: line.number,
    rank: line.rank,
    time: line.time,
    facts: noFacts,
    details: {},
    quantities: quantitiesOf(noFacts, true),
    fresh: true,
    signs: readSigns(around),
    progress: readProgress(around),
    growth: readGrowth(around.before),
    smiRows: [],
    excerpt: line.text.slice(0, excerptCharacters),
    content: format,
  };
}
