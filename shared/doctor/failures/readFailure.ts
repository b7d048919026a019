import { contentOf, type Incident } from './assemble';
import { quantitiesOf, type Quantities } from './quantities';
import { readGrowth, type Growth } from './signs/growth';
import { readProgress, type TrainingProgress } from './signs/progress';
import { readSigns, type Sign } from './signs/signs';
import type { LineSurroundings } from '../lines/context';
import type { SmiRow } from '../lines/smiRows';
import type { LineTime } from '../lines/times';
import type { Format } from '../format';
import { environmentOf, type Environment } from '../words/environment';
import type { FailureKind, Facts, Role, Story } from '../types';

/** An incident without its text: all that the rules look at, small enough to keep for a whole log. */
export interface ReadFailure {
  readonly format: Format;
  /** Formats of all messages of the incident, the main one first. */
  readonly formats: readonly Format[];
  readonly story: Story;
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
  readonly progress: TrainingProgress | null;
  readonly growth: Growth | null;
  /** Rows of nvidia-smi's process table that stand in the same piece of text. */
  /** The program, the maker of the card and the place that the text shows. */
  readonly environment: Environment;
  readonly smiRows: readonly SmiRow[];
  readonly excerpt: string;
  /** Equal for messages that say the same (see `contentOf`). */
  readonly content: string;
}

/** A case beside the others of its log. */
export interface Context {
  readonly failure: ReadFailure;
  readonly log: readonly ReadFailure[];
}

const excerptCharacters = 2_000;

export function readFailureOf(
  incident: Incident,
  around: LineSurroundings,
  smiRows: readonly SmiRow[],
): ReadFailure {
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
    environment: environmentOf(around, [format]),
    smiRows,
    excerpt: around.message.slice(0, excerptCharacters).trimEnd(),
    content: contentOf(incident),
  };
}
