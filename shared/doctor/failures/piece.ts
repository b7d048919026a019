import { assemble, type Incident } from './assemble';
import { readFailureOf, type ReadFailure } from './readFailure';
import { findEvents } from '../events/findEvents';
import { surroundings } from '../lines/context';
import { readLines, type LogLine } from '../lines/lines';
import { readSmiRows } from '../lines/smiRows';
import { separateWriters } from '../lines/writers';

/** What is failing in one piece of a log, and its lines for whoever wants to look closer. */
export interface ReadPiece {
  readonly cases: readonly ReadFailure[];
  readonly lines: readonly LogLine[];
}

/**
 * Reads a piece of a log: lines, writers, messages, incidents.
 * @param firstLine 1-based number of the piece's first line
 * @param isNew whether an incident is worth a closer look; one that was met before is only counted
 */
export function readPiece(
  piece: string,
  firstLine: number,
  isNew: (incident: Incident) => boolean,
): ReadPiece {
  const lines = readLines(piece, firstLine);
  const messages = separateWriters(lines)
    .flatMap(findEvents)
    .sort((a, b) => a.line - b.line);
  const smiRows = readSmiRows(lines);
  const cases = assemble(messages)
    .filter(isNew)
    .map((incident) => {
      const { firstLine: first, lastLine: last, writer } = incident.main;
      const from = lines.findIndex((line) => line === writer.lines[first]);
      const to = lines.findLastIndex((line) => line === writer.lines[last]);
      return readFailureOf(incident, surroundings(lines, from, to, writer.writer), smiRows);
    });
  return { cases, lines };
}
