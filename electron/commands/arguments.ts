/** The flags and positionals of one call, read by type; every refusal names the flag and what was expected. */
import { parseArgs } from 'node:util';
import { closest } from '../../shared/closest';
import { message } from '../../shared/i18n/message';
import { CommandError, type Flag, type Positional } from './command';

export interface NumberRange {
  readonly min: number;
  readonly max: number;
}

/** As people type them: without grouping. */
function limits({ min, max }: NumberRange): { readonly min: string; readonly max: string } {
  return { min: String(min), max: max === Infinity ? '∞' : String(max) };
}

export class Arguments {
  constructor(
    private readonly values: ReadonlyMap<string, string | true>,
    readonly positionals: readonly string[],
  ) {}

  has(flag: string): boolean {
    return this.values.has(flag);
  }

  /** The value as given, or null where the flag is absent. */
  text(flag: string): string | null {
    const value = this.values.get(flag);
    return typeof value === 'string' ? value : null;
  }

  /** The value where it is one of `choices`; null where the flag is absent. */
  choice<Choice extends string>(flag: string, choices: readonly Choice[]): Choice | null {
    const value = this.text(flag);
    if (value === null) return null;
    const found = choices.find((choice) => choice === value);
    if (found !== undefined) return found;
    throw new CommandError(
      message('cli.badChoice', { flag: `--${flag}`, value, choices: choices.join(', ') }),
    );
  }

  /** A whole number within the range, both ends included; null where the flag is absent. */
  integer(flag: string, range: NumberRange): number | null {
    const value = this.text(flag);
    if (value === null) return null;
    const number = /^[+-]?\d+$/.test(value) ? Number(value) : NaN;
    if (number >= range.min && number <= range.max) return number;
    throw new CommandError(message('cli.badInteger', { flag: `--${flag}`, value, ...limits(range) }));
  }

  /** A number within the range, both ends included; null where the flag is absent. */
  number(flag: string, range: NumberRange): number | null {
    const value = this.text(flag);
    if (value === null) return null;
    const number = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(value) ? Number(value) : NaN;
    if (number >= range.min && number <= range.max) return number;
    throw new CommandError(message('cli.badNumber', { flag: `--${flag}`, value, ...limits(range) }));
  }
}

/** A value that begins with a dash is another flag, unless it is stdin (`-`) or a negative number. */
function looksLikeFlag(value: string): boolean {
  return value.length > 1 && value.startsWith('-') && !/^-\.?\d/.test(value);
}

/** Reads the words after the subcommand. Throws CommandError for a flag or a positional that it does not take. */
export function parseArguments(
  words: readonly string[],
  flags: readonly Flag[],
  positionals: readonly Positional[],
): Arguments {
  const { tokens } = parseArgs({
    args: [...words],
    options: Object.fromEntries(
      flags.map((flag) => [flag.name, { type: flag.kind === 'value' ? 'string' : 'boolean' }] as const),
    ),
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const values = new Map<string, string | true>();
  const given: string[] = [];
  for (const token of tokens) {
    switch (token.kind) {
      case 'positional':
        given.push(token.value);
        break;
      case 'option':
        addOption(values, flags, token.rawName, token.name, token.value, token.inlineValue === true);
        break;
      case 'option-terminator':
        break;
    }
  }
  if (!values.has('help')) checkPositionals(given, positionals);
  return new Arguments(values, given);
}

function addOption(
  values: Map<string, string | true>,
  flags: readonly Flag[],
  rawName: string,
  name: string,
  value: string | undefined,
  inline: boolean,
): void {
  const flag = flags.find((candidate) => candidate.name === name && rawName === `--${name}`);
  if (flag === undefined) {
    const near = closest(
      name,
      flags.map((candidate) => candidate.name),
    );
    throw new CommandError(
      near === null
        ? message('cli.unknownFlag', { flag: rawName })
        : message('cli.unknownFlagNear', { flag: rawName, near: `--${near}` }),
    );
  }
  if (values.has(name)) throw new CommandError(message('cli.flagTwice', { flag: rawName }));
  if (flag.kind === 'switch') {
    if (value !== undefined) throw new CommandError(message('cli.switchWithValue', { flag: rawName }));
    values.set(name, true);
    return;
  }
  if (value === undefined || value === '' || (!inline && looksLikeFlag(value)))
    throw new CommandError(message('cli.valueMissing', { flag: rawName, placeholder: flag.placeholder }));
  values.set(name, value);
}

function checkPositionals(given: readonly string[], positionals: readonly Positional[]): void {
  const extra = given[positionals.length];
  if (extra !== undefined) throw new CommandError(message('cli.extraArgument', { argument: extra }));
  const missing = positionals.find((positional, place) => positional.required && (given[place] ?? '') === '');
  if (missing !== undefined)
    throw new CommandError(message('cli.argumentMissing', { argument: missing.name }));
}
