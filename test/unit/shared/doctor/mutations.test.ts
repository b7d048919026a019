import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../../shared/doctor/reader';
import { mutations } from './mutations';
import { carriedCases, fixtures, knownWordings, reportedTexts } from './recorded';

const texts = [...carriedCases(), ...reportedTexts(), ...knownWordings()];
const names = Object.keys(mutations);

/** Causes that no text can tell apart (causes.md): a progress bar turns one of a pair into the other. */
const pairs: Readonly<Record<string, string>> = {
  batch_too_large: 'too_small_card_or_batch',
  optimizer_step_peak: 'optimizer_state_first_step',
  attention_math_fallback: 'single_huge_tensor',
  pinned_memory: 'driver_level_oom',
};

/** The answer as far as it must stay: the numbers and the first cause of what failed first. */
function answer(text: string): { facts: unknown; cause: string | null } | null {
  const { failures, rootFailure } = diagnose(text);
  const failure = failures[rootFailure ?? 0];
  if (failure === undefined) return null;
  const cause = failure.causes[0]?.cause ?? null;
  return { facts: failure.facts, cause: cause === null ? null : (pairs[cause] ?? cause) };
}

/** Told by rank already, and by a second rank; a box without a head and a table, which no longer are any. */
const hasRankOfItsOwn = ['wrapped-fsdp-rank1'];
const lost: Readonly<Record<string, readonly string[]>> = {
  torchrun: hasRankOfItsOwn,
  'torchrun --tee': hasRankOfItsOwn,
  Lightning: hasRankOfItsOwn,
  mpirun: hasRankOfItsOwn,
  'a rank and a logger': hasRankOfItsOwn,
  'a console of 80 columns': ['kohya-grad-scaler-step', 'shm-87pct-zombie-workers'],
};

const clean = new Map(texts.map(({ id, raw }) => [id, answer(raw)]));

describe('a message on its way to the doctor', () => {
  it.each(names)('is told like the clean one: %s', (name) => {
    const mutate = mutations[name] ?? ((text: string) => text);
    const changed = texts
      .filter(({ id }) => clean.get(id) !== null && !(lost[name] ?? []).includes(id))
      .filter(({ id, raw }) => JSON.stringify(answer(mutate(raw))) !== JSON.stringify(clean.get(id)))
      .map(({ id }) => id);
    expect(changed).toEqual([]);
  });

  it.each(names)('leaves healthy logs silent: %s', (name) => {
    const mutate = mutations[name] ?? ((text: string) => text);
    const folder = path.join(fixtures, 'healthy');
    const accused = readdirSync(folder).filter(
      (log) => diagnose(mutate(readFileSync(path.join(folder, log), 'utf8'))).failures.length > 0,
    );
    expect(accused).toEqual([]);
  });

  it('is told like the clean one behind whatever a logger writes as time, level and name', () => {
    const message = fc.constantFrom(...texts.map(({ raw }) => raw).filter((raw) => !raw.includes('\n')));
    const stamp = fc
      .date({ min: new Date(Date.UTC(2000, 0)), max: new Date(Date.UTC(2040, 0)), noInvalidDate: true })
      .map((date) => date.toISOString())
      .chain((iso) =>
        fc.constantFrom(iso, iso.slice(0, 19).replace('T', ' '), iso.slice(11, 19), `[${iso.slice(0, 19)}]`),
      );
    const level = fc.constantFrom('INFO', 'WARNING', 'ERROR', 'CRITICAL');
    const name = fc.stringMatching(/^[a-z][a-z0-9_.]{1,20}$/);
    const preface = fc.oneof(
      fc.tuple(stamp, level).map((parts) => `${parts.join(' ')} `),
      fc.tuple(stamp, level, name).map((parts) => `${parts.join(' - ')} - `),
      fc.tuple(stamp, name, level).map((parts) => `${parts.join(' | ')} | `),
      fc.tuple(stamp, level).map(([at, of]) => `${at} [${of}] `),
      fc.tuple(level, stamp).map(([of, at]) => `${of} ${at} `),
    );
    fc.assert(
      fc.property(message, preface, (text, before) => {
        fc.pre(answer(text) !== null);
        expect(answer(`${before}${text}`)).toEqual(answer(text));
      }),
      { numRuns: 300 },
    );
  });
});

describe('wordings of many frameworks', () => {
  it.each(knownWordings().map(({ id, want, raw }) => [id, want, raw] as const))(
    'knows %s',
    (_id, want, raw) => {
      const { failures, rootFailure } = diagnose(raw);
      expect(want).toContain(failures[rootFailure ?? 0]?.causes[0]?.cause);
    },
  );
});

describe('failures that are no lack of memory', () => {
  it('says of two ranks on one card what it is and what to change', () => {
    const [failure] = diagnose(
      'init.cc:497 NCCL WARN Duplicate GPU detected : rank 2 and rank 0 both on CUDA device 1000',
    ).failures;
    expect(failure?.causes.map(({ cause }) => cause)).toEqual(['wrong_device', 'all_ranks_on_gpu0']);
    expect(failure?.causes[0]?.evidence[0]).toEqual({
      key: 'doctorEvidence.ranksShareCard',
      values: { first: '2', second: '0', card: '1000' },
    });
    expect(failure?.missing).toEqual([]);
  });

  it('says of a broken kernel what to bring, and guesses no cause', () => {
    const { failures } = diagnose('RuntimeError: CUDA error: an illegal memory access was encountered');
    expect(
      failures.map(({ kind, causes, missing }) => [kind, causes, missing.map(({ key }) => key)]),
    ).toEqual([['not-memory', [], ['doctorMissing.failingCall']]]);
  });
});
