import { describe, expect, it } from 'vitest';
import { findEvents } from '../../../../shared/doctor/events/findEvents';
import { factsOfFormat, grammars, type GrammarRow } from '../../../../shared/doctor/grammars';
import { readLines } from '../../../../shared/doctor/lines/lines';
import { separateWriters } from '../../../../shared/doctor/lines/writers';

const firstName = ({ format }: GrammarRow): string => (typeof format === 'string' ? format : format[0].name);
const found = (text: string) => separateWriters(readLines(text, 1)).flatMap(findEvents);

describe('the examples in the row of each grammar', () => {
  it.each(grammars.map((grammar) => [`${firstName(grammar)}: ${grammar.start}`, grammar] as const))(
    '%s is found in its own',
    (_name, { examples, start }) => {
      expect(examples.length).toBeGreaterThan(0);
      for (const text of examples)
        expect(
          found(text).map(({ reading }) => reading.grammar.start),
          text,
        ).toContain(start);
    },
  );
});

describe('what a format stands for', () => {
  it.each([
    ['P2-cached', 'pytorch', 'nvidia', '1.0'],
    ['P7-expandable-HIP', 'pytorch', 'amd', '2.4'],
    ['XPU-2.x', 'pytorch', 'intel', '2.4'],
    ['JAX', 'jax', null, null],
    ['Paddle', 'paddle', null, null],
    ['kernel-oom-kill', null, null, null],
  ])('%s is of %s, for cards of %s, since %s', (format, framework, vendor, since) => {
    expect(factsOfFormat(format)).toEqual({ framework, vendor, since });
  });
});
