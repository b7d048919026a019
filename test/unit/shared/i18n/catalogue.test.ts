import { expect, test } from 'vitest';
import { catalogue as english } from '../../../../shared/i18n/en';
import type { Entry } from '../../../../shared/i18n/message';
import { catalogue as chinese } from '../../../../shared/i18n/zh-CN';

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
const all = { en: templates(english), 'zh-CN': templates(chinese) };

test('both languages say the same things', () => {
  expect([...all['zh-CN'].keys()].sort()).toEqual([...all.en.keys()].sort());
});

test('a translation uses the values of the original, in each plural form', () => {
  const differing = [...all.en].flatMap(([key, forms]) => {
    const wanted = new Set(forms.flatMap(names));
    const used = new Set((all['zh-CN'].get(key) ?? []).flatMap(names));
    return [...wanted].sort().join() === [...used].sort().join() ? [] : [key];
  });
  expect(differing).toEqual([]);
});

test('every placeholder has a format that there is', () => {
  const formats = new Set(['bytes', 'percent', 'duration', 'number', 'n', 'short']);
  const wrong = Object.values(all).flatMap((texts) =>
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
  const wrong = Object.values(all).flatMap((texts) =>
    [...texts].flatMap(([key, forms]) =>
      forms.flatMap((form) =>
        form === form.trim() && form !== '' && !/[!！]/.test(form) ? [] : [`${key}: ${form}`],
      ),
    ),
  );
  expect(wrong).toEqual([]);
});
