import type { Format } from '../format';
import { factsOfFormat } from '../grammars';
import type { LineSurroundings } from '../lines/context';
import { placeRows, type Platform, type PlaceRow } from './places';
import { programs, type TrainingProgram } from './programs';
import type { ProgramRow } from './program';
import { vendorRows, type Vendor, type VendorRow } from './vendors';

/** What a text shows of the program, the maker of the card and the place; null where it shows none. */
export interface Environment {
  readonly program: TrainingProgram | null;
  readonly vendor: Vendor | null;
  readonly places: ReadonlySet<Platform>;
  /** Whether PyTorch's own calls may be named. */
  readonly onPyTorch: boolean;
}

/** PyTorch by its frames, classes and messages, where no program above it is known. */
const pyTorchSign = /\btorch[./\\]|\bPyTorch\b|\btorch(?:run|vision|audio)\b|C10|c10::|DataLoader worker/;

/**
 * Reads program, maker and place from the lines around a failure. What its own lines and its wording say of the maker
 * counts before what stands around them.
 */
export function environmentOf(around: LineSurroundings, formats: readonly Format[]): Environment {
  const told = formats.map((format) => factsOfFormat(format));
  // A message that only one program prints names it, whoever else stands in the text.
  const printer = programs.find(({ name }) => told.some((facts) => facts?.framework === name)) ?? null;
  const program =
    programs.find((row) => 'runs' in row && row.runs === printer?.name && row.sign.test(around.near)) ??
    printer ??
    programs.find(({ sign }) => sign.test(around.near)) ??
    null;
  const vendor =
    told.find((facts) => facts !== null && facts.vendor !== null && facts.vendor !== 'nvidia')?.vendor ??
    vendorRows.find(({ sign }) => sign.test(around.message))?.name ??
    vendorRows.find(({ sign }) => sign.test(around.near))?.name ??
    null;
  return {
    program: program?.name ?? null,
    vendor,
    places: new Set(placeRows.filter(({ sign }) => sign.test(around.near)).map(({ name }) => name)),
    onPyTorch:
      program === null
        ? told.some((facts) => facts?.framework === 'pytorch') || pyTorchSign.test(around.near)
        : program.onPyTorch,
  };
}

/** Where there is no text at all. */
export const unknownEnvironment: Environment = {
  program: null,
  vendor: null,
  places: new Set(),
  onPyTorch: false,
};

export function programRow({ program }: Environment): ProgramRow | null {
  return programs.find(({ name }) => name === program) ?? null;
}

/** Without a sign of another maker the words are NVIDIA's, which most texts are about. */
export function vendorRow({ vendor }: Environment): VendorRow | null {
  return vendorRows.find(({ name }) => name === (vendor ?? 'nvidia')) ?? null;
}

/** The first of the text's places that has a word for what is asked; systems that are not Linux have no Linux commands. */
export function wordOfPlace(
  { places }: Environment,
  what: Exclude<keyof PlaceRow, 'name' | 'sign'>,
): string | null {
  const elsewhere = places.has('windows') || places.has('macos');
  for (const row of placeRows) {
    if (!places.has(row.name) || (row.name === 'linux' && elsewhere)) continue;
    if (row[what] !== null) return row[what];
  }
  return null;
}
