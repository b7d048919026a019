import type { ReadFailure } from './readFailure';
import { quantitiesOf } from './quantities';
import { readGrowth } from './signs/growth';
import { readProgress } from './signs/progress';
import { readSigns } from './signs/signs';
import type { LineSurroundings } from '../lines/context';
import type { LogLine } from '../lines/lines';
import type { Format } from '../format';
import { environmentOf } from '../words/environment';
import { noFacts, type FailureKind, type Story } from '../types';

const excerptCharacters = 400;

/** A case of a text that holds no message of any grammar: no facts, only the line that tells of it and its surroundings. */
export function bareFailure(
  format: Format,
  story: Story,
  kind: FailureKind,
  line: LogLine,
  around: LineSurroundings,
): ReadFailure {
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
    environment: environmentOf(around, [format]),
    smiRows: [],
    excerpt: line.text.slice(0, excerptCharacters),
    content: format,
  };
}
