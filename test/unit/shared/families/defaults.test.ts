/**
 * What the families say that configuration classes take where a config is silent, against what the classes of transformers 5.17 were
 * recorded to take (`test/ground-truth/class_defaults.py`).
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ClassDefaults } from '../../../../shared/families/declaration';

const root = path.resolve(import.meta.dirname, '../../../..');
const folder = path.join(root, 'shared/families');

interface Recorded {
  readonly versions: { readonly transformers: string };
  readonly defaults: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

const recorded = JSON.parse(
  readFileSync(path.join(root, 'test/fixtures/configs/class-defaults.json'), 'utf8'),
) as Recorded;

const withDefaults = readdirSync(folder).filter((name) => existsSync(path.join(folder, name, 'defaults.ts')));

async function declaredBy(family: string): Promise<Readonly<Record<string, ClassDefaults>>> {
  const module = (await import(path.join(folder, family, 'defaults.ts'))) as {
    readonly defaults: Readonly<Record<string, ClassDefaults>>;
  };
  return module.defaults;
}

describe('class defaults', () => {
  it('were recorded with the version that the families follow', () => {
    expect(recorded.versions.transformers).toBe('5.17.0');
  });

  it.each(withDefaults)('%s', async (family) => {
    for (const [type, { part = {}, whole = {} }] of Object.entries(await declaredBy(family)))
      for (const [field, value] of Object.entries({ ...part, ...whole }))
        expect([type, field, value]).toEqual([type, field, recorded.defaults[type]?.[field]]);
  });
});
