import { contentOf, type Incident } from './assemble';
import { quantitiesOf, type Quantities } from './quantities';
import { readGrowth, type Growth } from './signs/growth';
import { readProgress, type Progress } from './signs/progress';
import { readSigns, type Sign } from './signs/signs';
import type { Surroundings } from './text/context';
import type { SmiRow } from './text/smiRows';
import type { LineTime } from './text/times';
import type { FailureKind, Facts, Role } from './types';

/** An incident without its text: all that the rules look at, small enough to keep for a whole log. */
export interface Case {
  readonly format: string;
  /** Formats of all messages of the incident, the main one first. */
  readonly formats: readonly string[];
  readonly story: string;
  readonly kind: FailureKind;
  readonly role: Role;
  readonly line: number;
  readonly rank: number | null;
  readonly time: LineTime | null;
  readonly facts: Facts;
  readonly details: Readonly<Record<string, number | string>>;
  readonly quantities: Quantities;
  /** Whether the numbers are of the moment of the failure, not of an earlier line about the card. */
  readonly fresh: boolean;
  readonly signs: ReadonlySet<Sign>;
  readonly progress: Progress | null;
  readonly growth: Growth | null;
  /** Rows of nvidia-smi's process table that stand in the same piece of text. */
  readonly smiRows: readonly SmiRow[];
  readonly excerpt: string;
  /** Equal for messages that say the same (see `contentOf`). */
  readonly content: string;
}

/** A case beside the others of its log. */
export interface CaseInLog {
  readonly it: Case;
  readonly log: readonly Case[];
}

const excerptCharacters = 2_000;

export function caseOf(incident: Incident, around: Surroundings, smiRows: readonly SmiRow[]): Case {
  const { main, messages, facts, details, fresh } = incident;
  const { grammar, format } = main.reading;
  return {
    format,
    formats: [...new Set([format, ...messages.map((found) => found.reading.format)])],
    story: grammar.story,
    kind: grammar.kind,
    role: messages.some((found) => found.reading.grammar.role === 'cause') ? 'cause' : grammar.role,
    line: incident.line,
    rank: incident.rank,
    time: main.time,
    facts,
    details,
    quantities: quantitiesOf(facts, fresh),
    fresh,
    signs: readSigns(around),
    progress: readProgress(around),
    growth: readGrowth(around.before),
    smiRows,
    excerpt: around.message.slice(0, excerptCharacters).trimEnd(),
    content: contentOf(incident),
  };
}
