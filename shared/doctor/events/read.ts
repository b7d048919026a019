import type { PrintedFormat } from '../grammars';
import { noFacts, type Facts, type ListedProcess } from '../types';
import { readInteger, readSize } from '../lines/sizes';
import type { CompiledGrammar, Pattern, PlaceholderKind } from '../grammars/grammar';

/** A message found in a compact text: where it stands and what could be read in it. */
export interface Reading {
  readonly grammar: CompiledGrammar;
  readonly format: PrintedFormat;
  /** Offsets in the compact text. */
  readonly start: number;
  readonly end: number;
  readonly facts: Facts;
  readonly details: Readonly<Record<string, number | string>>;
}

/** A sentence of the longest messages has less than this between two numbers (a documentation link, a log prefix). */
const usualGap = 90;
/** No field is longer. */
const fieldReach = 220;
/** No message is longer; keeps the work on a damaged text linear. */
const messageReach = 4_000;

/**
 * Every message of one grammar in a compact text, in order.
 * @param prefaceAt what stood before the line that holds an offset: some formats are told by their logger
 */
export function readMessages(
  grammar: CompiledGrammar,
  compact: string,
  prefaceAt: (offset: number) => string,
): Reading[] {
  const starts: RegExpExecArray[] = [];
  const { expression } = grammar.startPattern;
  expression.lastIndex = 0;
  for (let match = expression.exec(compact); match !== null; match = expression.exec(compact)) {
    if (match[0] === '') expression.lastIndex += 1;
    else starts.push(match);
  }
  return starts.map((start, index) => {
    const limit = Math.min(starts[index + 1]?.index ?? compact.length, start.index + messageReach);
    return readMessage(grammar, compact, start, limit, prefaceAt(start.index));
  });
}

function readMessage(
  grammar: CompiledGrammar,
  compact: string,
  start: RegExpExecArray,
  limit: number,
  preface: string,
): Reading {
  const values = new Values();
  values.take(start, grammar.startPattern);
  const gap = grammar.gap ?? usualGap;
  const open = new Set(grammar.fieldPatterns);
  let end = start.index + start[0].length;
  for (;;) {
    const slice = compact.slice(end, Math.min(limit, end + gap + fieldReach));
    const next = nearestField(open, slice, gap);
    if (next === null) break;
    values.take(next.match, next.pattern);
    if (!('processPid' in next.pattern.kinds)) open.delete(next.pattern);
    end += next.match.index + next.match[0].length;
  }
  const before = compact.slice(Math.max(0, start.index - 60), start.index);
  const around = `${before}${preface}${compact.slice(start.index, Math.min(limit, end + 400))}`;
  return { grammar, format: chooseFormat(grammar, around), start: start.index, end, ...values.read() };
}

function nearestField(
  open: ReadonlySet<Pattern>,
  slice: string,
  gap: number,
): { pattern: Pattern; match: RegExpExecArray } | null {
  let nearest: { pattern: Pattern; match: RegExpExecArray } | null = null;
  for (const pattern of open) {
    const match = pattern.expression.exec(slice);
    if (match === null || match[0] === '' || match.index > gap) continue;
    if (nearest === null || match.index < nearest.match.index) nearest = { pattern, match };
  }
  return nearest;
}

function chooseFormat({ format }: CompiledGrammar, around: string): PrintedFormat {
  if (typeof format === 'string') return format;
  const [first, ...others] = format;
  return [first, ...others].find((choice) => choice.when.test(around))?.name ?? first.name;
}

/** Collects what a message's parts say. */
class Values {
  private readonly facts = new Map<string, number>();
  private readonly details: Record<string, number | string> = {};
  private readonly processes: ListedProcess[] = [];

  take(match: RegExpExecArray, pattern: Pattern): void {
    for (const [name, text] of Object.entries(match.groups ?? {})) {
      const kind = pattern.kinds[name];
      if (kind === undefined || text === undefined || name === 'processPid') continue;
      if (name === 'processBytes') this.takeProcess(match.groups?.['processPid'], text);
      else this.put(name, kind, text);
    }
  }

  private takeProcess(pid: string | undefined, size: string): void {
    const bytes = readSize(size);
    if (pid !== undefined && bytes !== null) this.processes.push({ pid: Number(pid), bytes });
  }

  private put(name: string, kind: PlaceholderKind, text: string): void {
    const value = readValue(kind, text);
    if (value === null) {
      // "17179869184.00 GiB" is a way to say "unknown": the fact stays null, a rule may want to know it was printed.
      if (kind === 'size') this.details[`${name}Unknown`] = 1;
    } else if (!(name in noFacts) || typeof value !== 'number') this.details[name] ??= value;
    else if (!this.facts.has(name)) this.facts.set(name, value);
  }

  read(): { facts: Facts; details: Readonly<Record<string, number | string>> } {
    const fact = (name: keyof Facts): number | null => this.facts.get(name) ?? null;
    const allocatedBytes = fact('allocatedBytes');
    const reserved = fact('reservedBytes');
    const unallocated = fact('unallocatedBytes');
    return {
      facts: {
        gpuIndex: fact('gpuIndex'),
        triedBytes: fact('triedBytes'),
        capacityBytes: fact('capacityBytes'),
        freeBytes: fact('freeBytes'),
        allocatedBytes,
        reservedBytes: reserved ?? sum(allocatedBytes, unallocated),
        unallocatedBytes: unallocated ?? difference(reserved, allocatedBytes),
        allowedBytes: fact('allowedBytes'),
        privatePoolBytes: fact('privatePoolBytes'),
        thisProcessBytes: fact('thisProcessBytes'),
        processes: this.processes,
      },
      details: this.details,
    };
  }
}

function readValue(kind: PlaceholderKind, text: string): number | string | null {
  switch (kind) {
    case 'size':
      return readSize(text);
    case 'integer':
      return readInteger(text);
    case 'signed':
      return /^-?\d+$/.test(text) ? Number(text) : null;
    case 'grouped':
      return readInteger(text.replaceAll(',', ''));
    case 'gib':
      return readSize(`${text}GiB`);
    case 'decimal':
      return Number(text);
    case 'index':
      return readIndex(text);
    case 'word':
    case 'pci':
    case 'name':
    case 'path':
      return text;
  }
}

/** A card's index; one that was lost with its raw character is unknown. */
function readIndex(text: string): number | null {
  if (text === '' || text === '\ufffd') return null;
  return /^\d+$/.test(text) ? Number(text) : text.charCodeAt(0);
}

function sum(a: number | null, b: number | null): number | null {
  return a === null || b === null ? null : a + b;
}

/** Never below zero: rounded prints can cross. */
function difference(total: number | null, part: number | null): number | null {
  return total === null || part === null ? null : Math.max(0, total - part);
}
