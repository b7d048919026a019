import { grammars as rows } from '../grammars';
import { compileGrammar } from './compile';
import type { CompiledGrammar } from '../grammars/grammar';
import { readMessages, type Reading } from './read';
import { statesError, talksOfIt } from './statement';
import { AnchorSearch } from '../lines/anchors';
import { encodeUtf8 } from '../lines/utf8';
import type { LogLine } from '../lines/lines';
import type { LineTime } from '../lines/times';
import { lineIndexAt, type WriterText } from '../lines/writers';

/** A message in its place: whose it is, where it stands, and the lines of its writer for what else they tell. */
export interface LogEvent {
  readonly reading: Reading;
  readonly writer: WriterText;
  /** Indices in the writer's lines. */
  readonly firstLine: number;
  readonly lastLine: number;
  readonly line: number;
  readonly rank: number | null;
  readonly time: LineTime | null;
}

/** All messages of one writer's lines, in order, each piece of text told by the grammar that says most about it. */
export function findEvents(writer: WriterText): LogEvent[] {
  const claimed: Reading[] = [];
  for (const grammar of fittingGrammars(writer.compact))
    for (const reading of readingsOf(grammar, writer))
      if (!claimed.some((other) => overlap(other, reading))) claimed.push(reading);
  return claimed.sort((a, b) => a.start - b.start).map((reading) => place(reading, writer));
}

const compactAnchors = rows.flatMap((grammar, index) =>
  grammar.anchors.map((anchor) => ({ text: anchor.replace(/\s+/g, ''), index })),
);
/** Made for the first text that is worth its tables. */
let madeSearch: AnchorSearch | null = null;
function compactSearch(): AnchorSearch {
  madeSearch ??= new AnchorSearch(compactAnchors.map(({ text }) => text));
  return madeSearch;
}
/** A text of fewer characters is looked through for each anchor. */
const smallText = 4_000;

/** Each grammar is compiled when a text first holds one of its anchors. */
const compiled = new Map<number, CompiledGrammar>();
function compiledGrammar(index: number): CompiledGrammar[] {
  const row = rows[index];
  if (row === undefined) return [];
  const grammar = compiled.get(index) ?? compileGrammar(row);
  compiled.set(index, grammar);
  return [grammar];
}

/** The grammars of which an anchor stands in the text, in their order of claim. */
function fittingGrammars(compact: string): CompiledGrammar[] {
  return [...anchorsIn(compact)].sort((a, b) => a - b).flatMap(compiledGrammar);
}

function anchorsIn(compact: string): ReadonlySet<number> {
  const met = new Set<number>();
  if (compact.length < smallText) {
    const lower = compact.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
    for (const { text, index } of compactAnchors) if (lower.includes(text)) met.add(index);
    return met;
  }
  const bytes = encodeUtf8(compact);
  compactSearch().search(bytes, 0, bytes.length, (offset, anchor) => {
    met.add(compactAnchors[anchor]?.index ?? -1);
    return offset;
  });
  return met;
}

function readingsOf(grammar: CompiledGrammar, writer: WriterText): Reading[] {
  if (grammar.by === 'line') return writer.lines.flatMap((_line, index) => readLine(grammar, writer, index));
  const readings = readMessages(grammar, writer.compact, (offset) =>
    prefaceOf(writer.lines[lineIndexAt(writer, offset)]),
  );
  const { statement } = grammar;
  return statement === undefined ? readings : readings.filter(firstOfStatingLine(statement, writer));
}

/** Of the readings on one line that states an error the first counts; a line that only speaks of one counts none. */
function firstOfStatingLine(statement: RegExp, writer: WriterText): (reading: Reading) => boolean {
  const seen = new Set<number>();
  return (reading) => {
    const index = lineIndexAt(writer, reading.start);
    if (seen.has(index)) return false;
    seen.add(index);
    const line = writer.lines[index]?.text.slice(0, statementReach) ?? '';
    const next = writer.lines[index + 1]?.text.slice(0, statementReach) ?? '';
    return statesError(line, statement) || statesError(`${line}${next}`, statement);
  };
}

/** No logger writes a longer preface before its message. */
const statementReach = 2_000;

/** A line as it stands, else as it was before it was wrapped: lines of one length only look cut by a console. */
function readLine(grammar: CompiledGrammar, writer: WriterText, index: number): Reading[] {
  const own = writer.lines.slice(index, index + 1);
  const plain = readText(grammar, writer, own, index);
  if (plain.length > 0 || own[0]?.joint === null || (writer.lines[index - 1]?.joint ?? null) !== null)
    return plain;
  const end = writer.lines.findIndex((line, at) => at > index && line.joint === null);
  return end < 0 ? [] : readText(grammar, writer, writer.lines.slice(index, end + 1), index);
}

function readText(
  grammar: CompiledGrammar,
  writer: WriterText,
  lines: readonly LogLine[],
  index: number,
): Reading[] {
  const text = lines
    .map((line, at) => `${line.text}${at + 1 < lines.length ? (line.joint ?? '') : ''}`)
    .join('');
  const [first] = readMessages(grammar, text, () => prefaceOf(lines[0]));
  if (first === undefined || talksOfIt(text, text.slice(0, first.start))) return [];
  const start = writer.starts[index] ?? 0;
  const end = writer.starts[index + lines.length] ?? writer.compact.length;
  return [{ ...first, start, end }];
}

/** Without whitespace, as the grammars' text is. */
function prefaceOf(line: LogLine | undefined): string {
  return (line?.preface ?? '').replace(/\s+/g, '');
}

function overlap(a: Reading, b: Reading): boolean {
  return a.start < b.end && b.start < a.end;
}

function place(reading: Reading, writer: WriterText): LogEvent {
  const firstLine = lineIndexAt(writer, reading.start);
  const lastLine = Math.max(firstLine, lineIndexAt(writer, Math.max(reading.start, reading.end - 1)));
  const line = writer.lines[firstLine];
  return {
    reading,
    writer,
    firstLine,
    lastLine,
    line: line?.number ?? 1,
    rank: line?.rank ?? printedRank(reading),
    time: timeNear(writer.lines, firstLine),
  };
}

function printedRank({ details }: Reading): number | null {
  const rank = details['rank'] ?? details['localRank'];
  return typeof rank === 'number' ? rank : null;
}

/** The time on the line itself or on one of the few above it, as a traceback has none of its own. */
function timeNear(lines: readonly LogLine[], index: number): LineTime | null {
  for (let at = index; at >= Math.max(0, index - 60); at -= 1) {
    const time = lines[at]?.time ?? null;
    if (time !== null) return time;
  }
  return null;
}
