import { acceleratorGrammars } from './accelerators';
import { collectiveGrammars } from './collective';
import { contextGrammars } from './context';
import { cudaGrammars } from './cuda';
import { driverGrammars } from './driver';
import { frameworkGrammars } from './frameworks';
import type { FormatChoice, Grammar } from './grammar';
import { hostGrammars } from './host';
import { hostAllocatorGrammars } from './hostAllocators';
import { hostKillGrammars } from './hostKills';
import { libraryGrammars } from './libraries';
import { loadingGrammars } from './loading';
import { metalGrammars } from './metal';
import { notMemoryGrammars } from './notMemory';
import { listingGrammars } from './processes';
import { programErrorGrammars } from './programErrors';
import { schedulerGrammars } from './schedulers';
import { servingGrammars } from './serving';
import { sharedMemoryGrammars } from './sharedMemory';
import { torchGrammars } from './torch';

import type { Vendor } from '../words/vendors';

const rows = [
  ...notMemoryGrammars,
  ...driverGrammars,
  ...sharedMemoryGrammars,
  ...collectiveGrammars,
  ...servingGrammars,
  ...schedulerGrammars,
  ...hostKillGrammars,
  ...hostAllocatorGrammars,
  ...hostGrammars,
  ...acceleratorGrammars,
  ...metalGrammars,
  ...loadingGrammars,
  ...frameworkGrammars,
  ...torchGrammars,
  ...libraryGrammars,
  ...cudaGrammars,
  ...listingGrammars,
  ...programErrorGrammars,
  ...contextGrammars,
] as const;

type NameOf<F> = F extends string
  ? F
  : F extends readonly { readonly name: infer N extends string }[]
    ? N
    : never;

/** The name of a way in which a failure is printed. */
export type PrintedFormat = NameOf<(typeof rows)[number]['format']>;

/** A row with its name narrowed to those that exist. */
export type GrammarRow = Omit<Grammar, 'format'> & {
  readonly format: PrintedFormat | readonly [NamedChoice, ...NamedChoice[]];
};
type NamedChoice = FormatChoice & { readonly name: PrintedFormat };

/** Every grammar, in the order in which they may claim a piece of text: the more telling one first. */
export const grammars: readonly GrammarRow[] = rows;

/** What a format's name stands for: who prints it, for whose cards, since which release. */
export interface FormatFacts {
  readonly framework: string | null;
  readonly vendor: Vendor | null;
  readonly since: string | null;
}

const formatFacts: ReadonlyMap<string, FormatFacts> = new Map<string, FormatFacts>(
  grammars.flatMap((grammar) => choicesOf(grammar).map((choice) => [choice.name, factsOf(grammar, choice)])),
);

/** Null for the format of a failure that no grammar found. */
export function factsOfFormat(format: string): FormatFacts | null {
  return formatFacts.get(format) ?? null;
}

type Choice = Pick<FormatChoice, 'name'> & Partial<FormatChoice>;

function choicesOf({ format }: Grammar): readonly Choice[] {
  return typeof format === 'string' ? [{ name: format }] : format;
}

function factsOf(grammar: Grammar, choice: Choice): FormatFacts {
  return {
    framework: grammar.framework,
    vendor: choice.vendor ?? grammar.vendor,
    since: choice.since ?? grammar.since ?? null,
  };
}
