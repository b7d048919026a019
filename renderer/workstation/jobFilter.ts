import type { JobMember } from '../../shared/jobs/types';
import type { ListedJob, ListedMember } from './jobList';

/** The words that a number may follow in a filter: `rank 5`, `card 0`, `pid 4211`. */
export interface FilterWords {
  readonly rank: readonly string[];
  readonly card: readonly string[];
  readonly pid: readonly string[];
}

type Numbered = keyof FilterWords;
type Term =
  { readonly kind: 'text'; readonly text: string } | { readonly kind: Numbered; readonly number: number };

/**
 * The rows that match what was typed: all of its terms. A job that has them in its name or user stays whole; else the
 * processes that have them stay, under their job. `slices` names the MIG devices of processes, by pid.
 */
export function filterJobs(
  listed: readonly ListedJob[],
  filter: string,
  words: FilterWords,
  slices: ReadonlyMap<number, string> = new Map(),
): readonly ListedJob[] {
  const terms = termsOf(filter.toLowerCase(), words);
  if (terms.length === 0) return listed;
  return listed.flatMap((entry): readonly ListedJob[] => {
    const jobText = [entry.job.title, entry.job.user ?? '', entry.job.kind].join('\n').toLowerCase();
    const open = terms.filter((term) => !(term.kind === 'text' && jobText.includes(term.text)));
    if (open.length === 0) return [entry];
    const members = entry.members.filter(({ member }) => open.every((term) => hasTerm(member, term, slices)));
    if (members.length > 0) return [members.length === entry.members.length ? entry : { ...entry, members }];
    // Terms of several processes: `rank 0 rank 1`, or a word of the launcher's and a pid of a rank's.
    const isWhole = open.every((term) => entry.members.some(({ member }) => hasTerm(member, term, slices)));
    return isWhole ? [withTerms(entry, open, slices)] : [];
  });
}

function withTerms(entry: ListedJob, terms: readonly Term[], slices: ReadonlyMap<number, string>): ListedJob {
  const members = entry.members.filter(({ member }: ListedMember) =>
    terms.some((term) => hasTerm(member, term, slices)),
  );
  return { ...entry, members };
}

function hasTerm(member: JobMember, term: Term, slices: ReadonlyMap<number, string>): boolean {
  const { process, rank, cards } = member;
  switch (term.kind) {
    case 'rank':
      return rank === term.number;
    case 'card':
      return cards.some(({ gpuIndex }) => gpuIndex === term.number);
    case 'pid':
      return process.pid === term.number;
    case 'text':
      return [
        String(process.pid),
        process.user ?? '',
        process.name,
        slices.get(process.pid) ?? '',
        ...(process.command ?? []),
      ]
        .join('\n')
        .toLowerCase()
        .includes(term.text);
  }
}

/** A word with a number, in either order (`rank 5`, `rank=5`, `5 号卡`), is one term; every other word is its own. */
function termsOf(filter: string, words: FilterWords): readonly Term[] {
  const terms: Term[] = [];
  let rest = filter;
  for (const kind of ['rank', 'card', 'pid'] as const) {
    const names = words[kind]
      .map((word) => word.replace(/[^\p{Letter}\p{Number}]/gu, ''))
      .filter((word) => word !== '')
      .join('|');
    if (names === '') continue;
    const forms = [
      new RegExp(`(?:^|\\s)(?:${names})\\s*[:=#]?\\s*(\\d{1,10})(?=$|\\s)`, 'gu'),
      new RegExp(`(?:^|\\s)(\\d{1,10})\\s*号?\\s*(?:${names})(?=$|\\s)`, 'gu'),
    ];
    for (const form of forms)
      rest = rest.replace(form, (_all, number: string) => {
        terms.push({ kind, number: Number(number) });
        return ' ';
      });
  }
  return [
    ...terms,
    ...rest
      .split(/\s+/)
      .filter(Boolean)
      .map((text): Term => ({ kind: 'text', text })),
  ];
}
