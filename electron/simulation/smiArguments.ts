/** Which answer a command line of nvidia-smi asks for, for the forms that the stand-in plays. */

export type SmiReport =
  | { readonly kind: 'query-gpu'; readonly fields: readonly string[]; readonly format: CsvFormat }
  | { readonly kind: 'query-compute-apps'; readonly fields: readonly string[]; readonly format: CsvFormat }
  | { readonly kind: 'xml' }
  | { readonly kind: 'text' }
  | { readonly kind: 'table' }
  | { readonly kind: 'list' }
  | { readonly kind: 'topology' }
  | { readonly kind: 'version' }
  | { readonly kind: 'pmon'; readonly samples: number | null }
  | { readonly kind: 'dmon'; readonly samples: number | null };

export interface CsvFormat {
  readonly header: boolean;
  readonly units: boolean;
}

export interface SmiRequest {
  readonly report: SmiReport;
  /** Milliseconds between answers; null: one answer. */
  readonly loopMs: number | null;
  /** Cards asked with `-i`, as index, UUID or bus id; null: all. */
  readonly cards: readonly string[] | null;
}

export interface SmiRefusal {
  readonly refusal: string;
  readonly exitCode: number;
}

const valueOptions = [
  '-i',
  '--id',
  '-l',
  '--loop',
  '-lms',
  '--loop-ms',
  '-f',
  '--filename',
  '-c',
  '-s',
  '-d',
];
const switches = ['-q', '--query', '-x', '--xml-format', '-L', '--list-gpus', '--version', '-m', '--matrix'];
const queryOptions = ['--query-gpu', '--query-compute-apps', '--format'];

interface Words {
  readonly subcommand: string | null;
  readonly values: ReadonlyMap<string, string>;
  readonly switches: ReadonlySet<string>;
}

/** The request, or what nvidia-smi says (and its exit status) to one that it does not take. */
export function parseSmiArguments(args: readonly string[]): SmiRequest | SmiRefusal {
  const words = splitWords(args);
  if ('refusal' in words) return words;
  const report = chooseReport(words);
  if ('refusal' in report) return report;
  return { report, loopMs: loopOf(words, report), cards: listOf(pick(words, '-i', '--id')) };
}

function splitWords(args: readonly string[]): Words | SmiRefusal {
  const values = new Map<string, string>();
  const given = new Set<string>();
  let subcommand: string | null = null;
  for (let place = 0; place < args.length; place += 1) {
    const word = args[place] ?? '';
    const equals = word.indexOf('=');
    const name = equals < 0 ? word : word.slice(0, equals);
    if (!word.startsWith('-') && place === 0) subcommand = word;
    else if (equals >= 0 && [...valueOptions, ...queryOptions].includes(name))
      values.set(name, word.slice(equals + 1));
    else if (valueOptions.includes(word)) values.set(word, args[(place += 1)] ?? '');
    else if (switches.includes(word)) given.add(word);
    else return invalid(`Option "${word}" is not recognized. Please run 'nvidia-smi -h'.\n`);
  }
  return { subcommand, values, switches: given };
}

function chooseReport(words: Words): SmiReport | SmiRefusal {
  const samples = numberOf(pick(words, '-c'));
  switch (words.subcommand) {
    case 'topo':
      return { kind: 'topology' };
    case 'pmon':
      return { kind: 'pmon', samples };
    case 'dmon':
      return { kind: 'dmon', samples };
    case null:
      break;
    default:
      return invalid(`Option "${words.subcommand}" is not recognized. Please run 'nvidia-smi -h'.\n`);
  }
  const gpuFields = words.values.get('--query-gpu');
  const appFields = words.values.get('--query-compute-apps');
  if (gpuFields !== undefined || appFields !== undefined) {
    const formatWords = listOf(words.values.get('--format') ?? null) ?? [];
    if (!formatWords.includes('csv'))
      return invalid('"--format=" switch is missing. Please run "nvidia-smi --help-query-gpu".\n', 1);
    const format = { header: !formatWords.includes('noheader'), units: !formatWords.includes('nounits') };
    const fields = listOf(gpuFields ?? appFields ?? '') ?? [];
    return { kind: gpuFields === undefined ? 'query-compute-apps' : 'query-gpu', fields, format };
  }
  const has = (...names: readonly string[]): boolean => names.some((name) => words.switches.has(name));
  if (has('-x', '--xml-format'))
    return words.values.has('-d')
      ? invalid(
          'Invalid combination of input arguments: --display/-d flags can not be combined with -x/--xml-format flags.\n',
        )
      : { kind: 'xml' };
  if (has('-q', '--query')) return { kind: 'text' };
  if (has('-L', '--list-gpus')) return { kind: 'list' };
  if (has('--version')) return { kind: 'version' };
  return { kind: 'table' };
}

/** pmon and dmon loop by themselves, once a second. */
function loopOf(words: Words, report: SmiReport): number | null {
  const milliseconds = numberOf(pick(words, '-lms', '--loop-ms'));
  if (milliseconds !== null) return milliseconds;
  const seconds = numberOf(pick(words, '-l', '--loop'));
  if (seconds !== null) return seconds * 1000;
  return report.kind === 'pmon' || report.kind === 'dmon' ? 1000 : null;
}

function pick(words: Words, ...names: readonly string[]): string | null {
  for (const name of names) {
    const value = words.values.get(name);
    if (value !== undefined) return value;
  }
  return null;
}

function listOf(text: string | null): readonly string[] | null {
  return text === null ? null : text.split(',').map((part) => part.trim());
}

function numberOf(text: string | null): number | null {
  const value = text === null || text === '' ? NaN : Number(text);
  return Number.isFinite(value) && value > 0 ? value : null;
}

function invalid(refusal: string, exitCode = 2): SmiRefusal {
  return { refusal, exitCode };
}
