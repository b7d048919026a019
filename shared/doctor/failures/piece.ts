import { isNarration } from '../events/narration';
import { assemble, type Incident } from './assemble';
import { hasRecovered } from './recovery';
import { readFailureOf, type ReadFailure } from './readFailure';
import type { PrintedFormat } from '../grammars';
import { findEvents } from '../events/findEvents';
import { surroundings } from '../lines/context';
import { readLines, type LogLine } from '../lines/lines';
import { readSmiRows } from '../lines/smiRows';
import { separateWriters } from '../lines/writers';

/** What is failing in one piece of a log, and its lines for whoever wants to look closer. */
export interface ReadPiece {
  readonly failures: readonly ReadFailure[];
  readonly lines: readonly LogLine[];
  /** Whether the program caught a failure and went on. */
  readonly dealtWith: boolean;
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
  const events = separateWriters(lines)
    .flatMap(findEvents)
    .filter(({ writer, firstLine: at }) => !isNarration(writer.lines, at))
    .sort((a, b) => a.line - b.line);
  const smiRows = readSmiRows(lines);
  const read = assemble(events)
    .filter(isNew)
    .map((incident) => {
      const { firstLine: first, lastLine: last, writer } = incident.main;
      const from = lines.findIndex((line) => line === writer.lines[first]);
      const to = lines.findLastIndex((line) => line === writer.lines[last]);
      const around = surroundings(lines, from, to, writer.writer);
      return mayBeDealtWith(incident) && hasRecovered(around)
        ? null
        : readFailureOf(incident, around, smiRows);
    });
  const failures = read.filter((failure) => failure !== null);
  return { failures, lines, dealtWith: failures.length < read.length };
}

/** A refused allocation can be caught; a process that was killed cannot go on. */
function mayBeDealtWith({ main: { reading } }: Incident): boolean {
  const { story, role } = reading.grammar;
  return role === 'cause' && (story === 'gpu-oom' || (story === 'host-oom' && refusals.has(reading.format)));
}

/** What an allocator of main memory says; the rest of its kind tells of processes that were killed. */
const refusals: ReadonlySet<PrintedFormat> = new Set<PrintedFormat>([
  'CPUAllocator',
  'CPUAllocator-windows',
  'numpy',
  'MemoryError',
  'errno-12',
  'mmap-errno-12',
  'WinError-1455',
  'Ray-object-store',
  'ggml-host-buffer',
  'rust-errno-12',
]);
