/** Figures that other people published, and the questions that they are answers to. */
import path from 'node:path';
import { readConfig, readModel } from '../../../shared/families/readModel';
import type { EstimateRequest } from '../../../shared/memory/configuration';
import { readRequest, type RequestKey, requestKeys } from '../../../shared/memory/request';
import type { Architecture } from '../../../shared/model/architecture';
import { catalogueEntry } from '../../../shared/model/catalogue/catalogue';
import { readLines } from '../measured';

const folder = path.resolve(import.meta.dirname, '../../fixtures/published');

/** What kind of figure it is; `capacity`: the card on which a run just fitted; `fit-only`: there is none. */
export type FigureKind =
  'allocated' | 'active' | 'reserved' | 'nvidia-smi' | 'unknown' | 'capacity' | 'fit-only';

export interface PublishedRow {
  readonly id: string;
  readonly source: string;
  readonly model: string;
  /** A: the flags say what was run; B: other modelling code; C: a feature that no flag names; D: something is not told. */
  readonly class: 'A' | 'B' | 'C' | 'D';
  readonly stack: string;
  readonly methods: readonly string[];
  readonly flags: readonly string[];
  readonly published: { readonly kind: FigureKind; readonly bytes: number | null };
  readonly publishedFits: 'fits' | 'oom' | null;
}

/** A row with its model and question. */
export interface PublishedQuestion {
  readonly row: PublishedRow;
  readonly architecture: Architecture;
  readonly request: EstimateRequest;
}

export const publishedRows = (): readonly PublishedRow[] =>
  readLines<PublishedRow>('', path.join(folder, 'rows'));

/** The question of each row. Throws where a row cannot be read, which is a fault of the fixture. */
export function publishedQuestions(): readonly PublishedQuestion[] {
  const configs = new Map(
    readLines<{ readonly file: string; readonly config: string }>('', path.join(folder, 'configs')).map(
      ({ config, file }) => [file, config],
    ),
  );
  const architectures = new Map<string, Architecture>();
  return publishedRows().map((row) => {
    const { model, ...fields } = fieldsOf(row.flags);
    const name = String(model);
    const architecture = architectures.get(name) ?? architectureOf(name, configs);
    architectures.set(name, architecture);
    const reading = readRequest(fields, { label: (key) => key, timeline: false });
    if (reading.kind === 'refused') throw new Error(`${row.id}: ${JSON.stringify(reading.reason)}`);
    return { row, architecture, request: { ...shortened(reading.request), ...stackOf(row) } };
  });
}

/** What ran it, by the source; versions of today were run by one, in a loop like the measured one. */
function stackOf({ source }: PublishedRow): Pick<EstimateRequest, 'stack'> {
  if (source.startsWith('PEFT method_comparison')) return {};
  if (/litgpt/.test(source)) return { stack: 'litgpt' };
  if (/torchtune|torchtitan|llm-foundry|rasbt/.test(source)) return { stack: 'torchtune' };
  return { stack: 'trainer' };
}

/** Micro-batches from the third on change nothing of what is held, and cost as much as the first. */
const enoughAccumulated = 3;

const shortened = (request: EstimateRequest): EstimateRequest => ({
  ...request,
  training: {
    ...request.training,
    accumulation: Math.min(enoughAccumulated, request.training.accumulation),
  },
});

function architectureOf(name: string, configs: ReadonlyMap<string, string>): Architecture {
  const entry = catalogueEntry(name);
  const text = configs.get(name);
  const reading = entry !== null ? readConfig(entry.config) : readModel(text ?? '');
  if (reading.kind === 'refused') throw new Error(`${name}: ${reading.reason.key}`);
  return reading.architecture;
}

const switches: readonly string[] = ['doubleQuant', 'gradClip', 'expandableSegments'];
const texts: readonly RequestKey[] = [
  'method',
  'adapterDtype',
  'precision',
  'optimizer',
  'checkpointing',
  'attention',
  'card',
  'gradientSync',
  'strategy',
  'offload',
  'schedule',
];

/** The command's flags as a line of `--batch` has them. */
function fieldsOf(flags: readonly string[]): Readonly<Record<string, unknown>> {
  const fields: Record<string, unknown> = {};
  for (let index = 0; index < flags.length;) {
    const key = (flags[index] ?? '')
      .slice(2)
      .replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const isSwitch = switches.includes(key);
    fields[key] = isSwitch ? true : valueOf(key, flags[index + 1] ?? '');
    index += isSwitch ? 1 : 2;
  }
  return fields;
}

function valueOf(key: string, text: string): unknown {
  if (key === 'model' || texts.some((name) => name === key)) return text;
  if (!requestKeys.some((name) => name === key)) throw new Error(`no flag ${key}`);
  if (key === 'loraTargets') return text === 'all-linear' ? text : text.split(',');
  return key === 'cardMib' ? text.split(',').map(Number) : Number(text);
}
