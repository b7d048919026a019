/** What the families declare to be recorded, against the recorded steps that are among the fixtures. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import type { Family } from '../../../../shared/families/declaration';
import * as declared from '../../../../shared/families/families';

const fixtures = path.resolve(import.meta.dirname, '../../../fixtures');

interface Row {
  readonly model: string;
  readonly events?: readonly unknown[];
  readonly cfg?: { readonly model_type: string };
}

const rowsOf = (file: string): readonly Row[] =>
  gunzipSync(readFileSync(file))
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);

/** The model type of a row: of the config that it carries, else of the measured model's. */
function typeOf({ cfg, model }: Row): string {
  if (cfg !== undefined) return cfg.model_type;
  const text = readFileSync(path.join(fixtures, 'accuracy/configs', `${model}.json`), 'utf8');
  return (JSON.parse(text) as { readonly model_type: string }).model_type;
}

const recordedTypes = new Set(
  ['accuracy', 'measured']
    .flatMap((folder) =>
      readdirSync(path.join(fixtures, folder)).map((name) => path.join(fixtures, folder, name)),
    )
    .filter((file) => /\/(?!two-card)[\w-]*(traces|training)[\w-]*\.jsonl\.gz$/.test(file))
    .flatMap(rowsOf)
    .filter(({ events }) => events !== undefined)
    .map(typeOf),
);

const families: readonly Family[] = Object.values(declared);

it('is declared by the family of each recorded model type, and nothing else is', () => {
  const said = families.flatMap(({ simulation }) => simulation?.recorded ?? []);
  expect([...said].sort()).toEqual([...recordedTypes].sort());
});

it.each(families.map((family) => [family.name, family] as const))(
  '%s declares only recordings of types that are its own',
  (_name, { modelTypes, simulation }) => {
    expect((simulation?.recorded ?? []).filter((type) => !Object.hasOwn(modelTypes, type))).toEqual([]);
  },
);

it('no two families declare one name or one model type', () => {
  const names = families.map(({ name }) => name);
  const types = families.flatMap(({ modelTypes }) => Object.keys(modelTypes));
  expect(new Set(names).size).toBe(names.length);
  expect(new Set(types).size).toBe(types.length);
});
