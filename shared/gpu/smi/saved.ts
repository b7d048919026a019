/** Any paste of nvidia-smi: wrapped, several outputs in one, with prompts and calls between them. */
import { unwrap } from '../../text/unwrap';
import { uniqueProblems } from '../problems';
import type { CardReading, GpuProcess, GpuReading } from '../types';
import { readOutput } from './output';
import { segmentsOf } from './segments';

/** A longer text is no paste: it is read as it stands. */
const longestPaste = 2 ** 22;

/**
 * Reads a saved output, also out of what stands around it. Of the text as it is and the text without its wrappers the
 * one counts that tells more. Never throws.
 */
export function readSaved(text: string): GpuReading {
  if (text.length > longestPaste) return readOutput(text);
  const plain = readParts(text);
  const unwrapped = unwrap(text);
  if (unwrapped === text) return plain;
  const inside = readParts(unwrapped);
  if (inside.format === 'unknown') return plain;
  if (isGuess(inside) !== isGuess(plain)) return isGuess(inside) ? plain : inside;
  return worth(inside) >= worth(plain) ? inside : plain;
}

/** Rows of which nobody said what their columns are. */
const isGuess = ({ problems }: GpuReading): boolean => problems.some(({ code }) => code === 'header-missing');

function readParts(text: string): GpuReading {
  const segments = segmentsOf(text);
  const whole = readOutput(text);
  if (segments.length === 0) return whole;
  const readings = segments
    .map((segment) => readOutput(segment.text))
    .filter(({ format }) => format !== 'unknown');
  const [first, ...others] = readings;
  if (first === undefined) return whole;
  const merged = others.reduce(merge, first);
  return worth(merged) >= worth(whole) ? merged : whole;
}

/** What a reading tells: facts count, and what could not be read counts against it. */
function worth({ format, cards, processes, links, driverVersion, problems }: GpuReading): number {
  if (format === 'unknown') return 0;
  const facts = [...cards, ...processes, ...links].reduce(
    (sum, one) =>
      sum + Object.values(one).filter((value) => value !== null && typeof value !== 'object').length,
    0,
  );
  const doubts = problems.filter(({ code }) => /^(?:input-|header-missing)/.test(code)).length;
  return 1 + facts + (driverVersion === null ? 0 : 2) - doubts / 2 + problems.length / 100;
}

/** Two readings of one machine as one: what the first does not know is taken from the second. */
function merge(one: GpuReading, other: GpuReading): GpuReading {
  if (one.format === 'error' && other.format !== 'error') return { ...merge(other, one) };
  const cards = [...one.cards];
  for (const card of other.cards) {
    const place = cards.findIndex((known) => isSameCard(known, card));
    const known = cards[place];
    if (known === undefined) cards.push(card);
    else cards[place] = filled(known, card);
  }
  return {
    format: one.format,
    driverVersion: one.driverVersion ?? other.driverVersion,
    cudaVersion: one.cudaVersion ?? other.cudaVersion,
    cards,
    processes: mergeProcesses(one.processes, other.processes),
    links: [...one.links, ...other.links],
    problems: uniqueProblems([...one.problems, ...other.problems]),
  };
}

function isSameCard(one: CardReading, other: CardReading): boolean {
  if (one.uuid !== null && other.uuid !== null) return one.uuid === other.uuid;
  if (one.pciBusId !== null && other.pciBusId !== null) return one.pciBusId === other.pciBusId;
  return one.index !== null && one.index === other.index;
}

function filled(known: CardReading, card: CardReading): CardReading {
  const given = Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null));
  const mig = known.mig.length >= card.mig.length ? known.mig : card.mig;
  return { ...card, ...given, mig };
}

function mergeProcesses(one: readonly GpuProcess[], other: readonly GpuProcess[]): readonly GpuProcess[] {
  const key = ({ pid, gpuIndex, gpuUuid }: GpuProcess): string => `${pid} ${gpuIndex ?? gpuUuid ?? ''}`;
  const known = new Set(one.map(key));
  const pids = new Set(one.map(({ pid }) => pid));
  return [
    ...one,
    ...other.filter((process) =>
      process.gpuIndex === null && process.gpuUuid === null
        ? !pids.has(process.pid)
        : !known.has(key(process)),
    ),
  ];
}
