import { expect, test } from 'vitest';
import { languages, locales } from '../../../../shared/i18n/languages';
import type { Entry } from '../../../../shared/i18n/message';

type Texts = Readonly<Record<string, Readonly<Record<string, Entry>>>>;

/** Every template of a catalogue under `area.key`, with each plural form by its own. */
function templates(catalogue: Texts): Map<string, readonly string[]> {
  return new Map(
    Object.entries(catalogue).flatMap(([area, entries]) =>
      Object.entries(entries).map(([key, entry]): [string, readonly string[]] => [
        `${area}.${key}`,
        typeof entry === 'string' ? [entry] : Object.values(entry),
      ]),
    ),
  );
}

const names = (template: string): string[] =>
  [...template.matchAll(/\{(\w+)(?::\w+)?\}/g)].map(([, name = '']) => name).sort();
const english = templates(languages.en.catalogue);
const translations = locales
  .filter((locale) => locale !== 'en')
  .map((locale) => templates(languages[locale].catalogue));
const all = [english, ...translations];

test('all languages say the same things', () => {
  for (const translation of translations)
    expect([...translation.keys()].sort()).toEqual([...english.keys()].sort());
});

test('a translation uses the values of the original, in each plural form', () => {
  const differing = [...english].flatMap(([key, forms]) => {
    const wanted = [...new Set(forms.flatMap(names))].sort().join();
    return translations
      .map((translation) => [...new Set((translation.get(key) ?? []).flatMap(names))].sort().join())
      .flatMap((used) => (used === wanted ? [] : [key]));
  });
  expect(differing).toEqual([]);
});

test('every placeholder has a format that there is', () => {
  const formats = new Set(['bytes', 'percent', 'duration', 'number', 'n', 'short']);
  const wrong = all.flatMap((texts) =>
    [...texts].flatMap(([key, forms]) =>
      forms.flatMap((form) =>
        [...form.matchAll(/\{\w+:(\w+)\}/g)].flatMap(([, format = '']) =>
          formats.has(format) ? [] : [`${key}: ${format}`],
        ),
      ),
    ),
  );
  expect(wrong).toEqual([]);
});

test('no text is empty, has stray spaces, or shouts', () => {
  const wrong = all.flatMap((texts) =>
    [...texts].flatMap(([key, forms]) =>
      forms.flatMap((form) =>
        form === form.trim() && form !== '' && !/[!！]/.test(form) ? [] : [`${key}: ${form}`],
      ),
    ),
  );
  expect(wrong).toEqual([]);
});
