import { expect, test } from 'vitest';
import { languages, locales } from '../../../../shared/i18n/languages';
import { message } from '../../../../shared/i18n/message';
import { pluralText } from '../../../../shared/i18n/plural';
import { nearestLocale, translate } from '../../../../shared/i18n/translate';

test('each language is in the list once, and calls itself by its own name', () => {
  expect(locales.map((locale) => [locale, languages[locale].name])).toEqual([
    ['en', 'English'],
    ['zh-CN', '简体中文'],
  ]);
});

test.each([
  ['zh-Hans-CN', 'zh-CN'],
  ['zh_CN.UTF-8', 'zh-CN'],
  ['zh', 'zh-CN'],
  ['en_US.UTF-8', 'en'],
  ['de-DE', 'en'],
  ['zhuang', 'en'],
  ['C.UTF-8', 'en'],
  ['', 'en'],
  [null, 'en'],
] as const)('the nearest language to %s is %s', (tag, nearest) => expect(nearestLocale(tag)).toBe(nearest));

test('a plural has as many forms as its language', () => {
  const forms = { one: '{count} karta', few: '{count} karty', many: '{count} kart', other: '{count} karty' };
  expect([1, 2, 5, 22, 1.5].map((count) => pluralText(forms, 'pl', count))).toEqual([
    '{count} karta',
    '{count} karty',
    '{count} kart',
    '{count} karty',
    '{count} karty',
  ]);
  expect(pluralText({ other: '{count} 张' }, 'zh-CN', 1)).toBe('{count} 张');
  expect(pluralText({ other: 'few' }, 'pl', 2)).toBe('few');
});

test('a count chooses the form', () => {
  expect([1, 3].map((count) => translate('en', message('settings.intervalValue', { count })))).toEqual([
    '1 second',
    '3 seconds',
  ]);
});
