import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../../shared/doctor/reader';
import type { Failure } from '../../../../shared/doctor/types';
import { allCases, knownWordings, reportedTexts, type RecordedCase } from './recorded';

function rootOf(text: string): Failure | null {
  const { failures, rootFailure } = diagnose(text);
  return failures[rootFailure ?? 0] ?? null;
}

/** Bytes of a size with two decimals; rounding it down or up makes a difference of one. */
function sameFact(expected: unknown, read: unknown): boolean {
  return typeof expected === 'number' && typeof read === 'number'
    ? Math.abs(expected - read) <= 1
    : JSON.stringify(expected) === JSON.stringify(read);
}

function wrongFacts(cases: readonly RecordedCase[]): { wrong: string[]; facts: number } {
  const wrong: string[] = [];
  let facts = 0;
  for (const { id, raw, facts: expected } of cases) {
    const read = rootOf(raw)?.facts;
    for (const [name, value] of Object.entries(expected)) {
      facts += 1;
      const found = read?.[name as keyof typeof read];
      if (!sameFact(value, found))
        wrong.push(`${id}: ${name} is ${JSON.stringify(value)}, read ${JSON.stringify(found)}`);
    }
  }
  return { wrong, facts };
}

/** Those of which the first cause is not right from the text, by name. */
function missesOf(
  cases: readonly { readonly id: string; readonly raw: string; readonly right: readonly string[] }[],
): readonly string[] {
  return cases
    .filter(({ raw, right }) => !right.includes(rootOf(raw)?.causes[0]?.cause ?? ''))
    .map(({ id }) => id);
}

/** What is known to be told wrongly, case by case; the first two are of the full data only. */
const knownMisses: Readonly<Record<'facts' | 'causes' | 'reports', readonly string[]>> = {
  facts: [
    // The size stands in a person's sentence above the snapshot.
    'pt-fragmented-segment-snapshot: triedBytes',
    // Two ranks fail with a process list each; the case counts both lists as one.
    'vllm-container-pid-pairs: processes',
  ],
  causes: [],
  reports: [],
};

describe('recorded failures', () => {
  it('reads the facts of every printed case, equal to the rounding of the text, but those that are known', () => {
    const { wrong, facts } = wrongFacts(allCases());
    expect(facts).toBeGreaterThan(150);
    expect(wrong.filter((told) => !knownMisses.facts.some((known) => told.startsWith(known)))).toEqual([]);
  });

  it.each(['written-on', 'checked-on'] as const)(
    'names the cause of the tellable cases of the half %s',
    (half) => {
      const cases = allCases().filter((it) => it.tellable && it.half === half);
      expect(cases.length).toBeGreaterThan(20);
      expect(missesOf(cases)).toEqual(knownMisses.causes);
    },
  );

  it('names the cause of reports that are not among the cases', () => {
    const reports = reportedTexts().map(({ id, raw, want }) => ({ id, raw, right: want }));
    expect(missesOf(reports)).toEqual(knownMisses.reports);
  });

  it('says no sentence with a number that the text does not give', () => {
    const texts = [...allCases(), ...reportedTexts(), ...knownWordings()];
    const unknown = texts.flatMap(({ id, raw }) =>
      diagnose(raw)
        .failures.flatMap(({ causes, missing, notHelpful }) => [
          ...causes.flatMap(({ evidence, fixes }) => [...evidence, ...fixes.map(({ text }) => text)]),
          ...missing,
          ...notHelpful,
        ])
        .filter(({ values }) => Object.values(values).includes(null))
        .map(({ key }) => `${id}: ${key}`),
    );
    expect(unknown).toEqual([]);
  });

  it('means its confidences: what it calls likelier is right more often', () => {
    const said = allCases()
      .filter(({ tellable }) => tellable)
      .flatMap(({ raw, right }) =>
        (rootOf(raw)?.causes ?? []).map(({ cause, confidence }) => ({
          confidence,
          right: right.includes(cause),
        })),
      );
    const bins = [0.1, 0.3, 0.5, 0.7, 0.85].map((from, index, starts) => {
      const inside = said.filter(
        ({ confidence }) => confidence >= from && confidence < (starts[index + 1] ?? 1.01),
      );
      const mean = inside.reduce((sum, { confidence }) => sum + confidence, 0) / inside.length;
      return {
        from,
        count: inside.length,
        mean,
        right: inside.filter(({ right }) => right).length / inside.length,
      };
    });
    console.log(
      [
        'confidence  said  mean  right',
        ...bins.map(
          ({ from, count, mean, right }) =>
            `from ${from.toFixed(2)}   ${String(count).padStart(4)}  ${mean.toFixed(2)}  ${right.toFixed(2)}`,
        ),
      ].join('\n'),
    );
    const [lowest, , , , highest] = bins;
    expect(lowest?.right).toBeLessThan(0.5);
    expect(highest?.right).toBeGreaterThan(0.85);
    for (const { mean, right, count } of bins)
      if (count >= 20) expect(Math.abs(mean - right)).toBeLessThan(0.3);
  });
});
