import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Architecture } from '../../../../shared/model/architecture';
import { type ModelReading, readModel } from '../../../../shared/families/readModel';
import { translate } from '../../../../shared/i18n/translate';

export const configs = path.resolve(import.meta.dirname, '../../../fixtures/configs');

export const filesIn = (folder: string): string[] =>
  readdirSync(folder).filter((name) => name.endsWith('.json'));

export const textOf = (folder: string, file: string): string => readFileSync(path.join(folder, file), 'utf8');

/** The architecture of a config that must be readable. */
export function architectureOf(config: string | object): Architecture {
  const reading = readModel(typeof config === 'string' ? config : JSON.stringify(config));
  if (reading.kind === 'refused') throw new Error(`refused: ${translate('en', reading.reason)}`);
  return reading.architecture;
}

/** The reason in English of a config that must be refused. */
export function reasonOf(config: string | object): string {
  const reading = readModel(typeof config === 'string' ? config : JSON.stringify(config));
  if (reading.kind === 'model') throw new Error('read, not refused');
  return translate('en', reading.reason);
}

export const warningsOf = (reading: ModelReading): string[] =>
  reading.kind === 'model' ? reading.architecture.warnings.map((warning) => translate('en', warning)) : [];

export interface IndexRow {
  readonly file: string;
  /** The exact count; null where none is known. */
  readonly parameters: number | null;
}

/** Rows of an index of configs: columns `file`, and the count under `parameters` or (with `precision`) `published_params`. */
export function indexOf(text: string): IndexRow[] {
  const [header = '', ...lines] = text.trimEnd().split('\n');
  const columns = header.split('\t');
  const column = (name: string): number => columns.indexOf(name);
  return lines.map((line) => {
    const cells = line.split('\t');
    const isExact = column('precision') < 0 || cells[column('precision')] === 'exact';
    const shown = cells[Math.max(column('parameters'), column('published_params'))] ?? '-';
    const count = Number(shown.replaceAll(',', ''));
    return { file: cells[0] ?? '', parameters: isExact && Number.isFinite(count) ? count : null };
  });
}
