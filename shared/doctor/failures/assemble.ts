import type { LogEvent } from '../events/findEvents';
import type { Facts } from '../types';

/** Messages that tell one failure: the driver and the framework, a worker and its parent, a log line and its repeat. */
export interface Incident {
  /** The message that says most; the failure takes its format from it. */
  readonly main: LogEvent;
  readonly messages: readonly LogEvent[];
  readonly facts: Facts;
  readonly details: Readonly<Record<string, number | string>>;
  /** The first and the last line of all its messages. */
  readonly line: number;
  readonly lastLine: number;
  readonly rank: number | null;
  /** Whether the numbers are of the moment of the failure, not of an earlier line about the card. */
  readonly fresh: boolean;
}

/** Lines between two messages of one story. */
const nearLines = 40;

/** Joins the messages of a piece of text into incidents, and lends them what lines about the machine say. */
export function assemble(messages: readonly LogEvent[]): Incident[] {
  const context = messages.filter((found) => found.reading.grammar.role === 'context');
  const groups: LogEvent[][] = [];
  let firstNear = 0;
  for (const found of messages) {
    if (found.reading.grammar.role === 'context') continue;
    while (firstNear < groups.length && isFar(groups[firstNear], found)) firstNear += 1;
    const group = groups.slice(firstNear).findLast((other) => other.every((told) => sameStory(told, found)));
    if (group === undefined) groups.push([found]);
    else group.push(found);
  }
  return groups.map((group) => lendContext(incidentOf(group), context));
}

function isFar(group: readonly LogEvent[] | undefined, found: LogEvent): boolean {
  return (group?.at(-1)?.line ?? 0) < found.line - nearLines;
}

function sameStory(a: LogEvent, b: LogEvent): boolean {
  if (a.reading.grammar.story !== b.reading.grammar.story) return false;
  if (a.rank !== b.rank && a.rank !== null && b.rank !== null) return false;
  if (Math.abs(a.line - b.line) > nearLines) return false;
  // Two wordings print one size with different decimals; of one wording, other numbers are another failure.
  const tolerance = a.reading.grammar === b.reading.grammar ? 0 : 0.01;
  return (
    agree(a.reading.facts, b.reading.facts, tolerance) &&
    agree(a.reading.details, b.reading.details, tolerance)
  );
}

/** No number that both know differs; two messages that both know nothing agree. */
function agree(a: object, b: object, tolerance: number): boolean {
  const other: Readonly<Record<string, unknown>> = { ...b };
  return Object.entries(a).every(([name, value]) => {
    const theirs = other[name];
    if (value === null || theirs === null || theirs === undefined || typeof value === 'object') return true;
    return value === theirs || ofOneMessage.has(name) || nearlyEqual(value, theirs, tolerance);
  });
}

function nearlyEqual(a: unknown, b: unknown, tolerance: number): boolean {
  return typeof a === 'number' && typeof b === 'number' && Math.abs(a - b) <= tolerance * Math.max(a, b);
}

/** Details of a single message, which differ between two tellings of one failure. */
const ofOneMessage: ReadonlySet<string> = new Set(['sourceLine', 'sourceFile', 'segmentBytes']);

function incidentOf(messages: readonly LogEvent[]): Incident {
  const main = messages.reduce((best, found) => (richness(found) > richness(best) ? found : best));
  const others = messages.filter((found) => found !== main);
  return {
    main,
    messages,
    facts: others.reduce((facts, found) => fill(facts, found.reading.facts), main.reading.facts),
    details: Object.assign({}, ...others.map((found) => found.reading.details), main.reading.details),
    line: Math.min(...messages.map((found) => found.line)),
    lastLine: Math.max(...messages.map((found) => lastLineOf(found))),
    rank: messages.find((found) => found.rank !== null)?.rank ?? null,
    fresh: true,
  };
}

function lastLineOf(found: LogEvent): number {
  return found.writer.lines[found.lastLine]?.number ?? found.line;
}

function richness({ reading }: LogEvent): number {
  return Object.values(reading.facts).filter((value) => typeof value === 'number').length;
}

function fill(known: Facts, more: Facts): Facts {
  return {
    gpuIndex: known.gpuIndex ?? more.gpuIndex,
    triedBytes: known.triedBytes ?? more.triedBytes,
    capacityBytes: known.capacityBytes ?? more.capacityBytes,
    freeBytes: known.freeBytes ?? more.freeBytes,
    allocatedBytes: known.allocatedBytes ?? more.allocatedBytes,
    reservedBytes: known.reservedBytes ?? more.reservedBytes,
    unallocatedBytes: known.unallocatedBytes ?? more.unallocatedBytes,
    allowedBytes: known.allowedBytes ?? more.allowedBytes,
    privatePoolBytes: known.privatePoolBytes ?? more.privatePoolBytes,
    thisProcessBytes: known.thisProcessBytes ?? more.thisProcessBytes,
    processes: known.processes.length > 0 ? known.processes : more.processes,
  };
}

/** A failure without the card's numbers takes them from the nearest earlier line that tells them. */
function lendContext(incident: Incident, context: readonly LogEvent[]): Incident {
  if (incident.main.reading.grammar.kind !== 'oom') return incident;
  const details = Object.assign({}, ...context.map((found) => found.reading.details), incident.details);
  const earlier = context.filter((found) => found.line <= incident.line);
  const processes = earlier.flatMap((found) => found.reading.facts.processes);
  const listed = incident.facts.processes.length === 0 ? { ...incident.facts, processes } : incident.facts;
  const card = earlier.findLast((found) => found.reading.facts.capacityBytes !== null);
  if (card === undefined || incident.facts.capacityBytes !== null)
    return { ...incident, details, facts: listed };
  return { ...incident, details, facts: fill(listed, card.reading.facts), fresh: false };
}

/** Messages of one rank with the same numbers are one failure; without numbers, those of one story are. */
export function contentOf({ main, rank, facts, details }: Incident): string {
  const { story, kind } = main.reading.grammar;
  const sequence = details['sequenceNumber'] ?? details['killedPid'] ?? '';
  const named = kind === 'driver' || kind === 'not-memory' ? main.reading.format : '';
  return JSON.stringify([story, named, rank, sequence, facts]);
}
