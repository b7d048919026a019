import { expect, it } from 'vitest';
import { message } from '../../../../shared/i18n/message';
import { localize } from '../../../../shared/i18n/translate';

const text = message('common.unknown');

it('turns every Message into words, wherever it stands, and keeps the order of keys', () => {
  const answer = { first: [1, { deep: text, after: null }], then: text, last: [] };
  expect(JSON.stringify(localize('en', answer))).toBe(
    '{"first":[1,{"deep":"unknown","after":null}],"then":"unknown","last":[]}',
  );
  expect(localize('zh-CN', [text])).not.toEqual(localize('en', [text]));
});

it('copies nothing that holds no Message, and changes nothing that was given', () => {
  const plain = { list: [1, 2, { deep: 'text' }], none: null };
  const answer = { plain, said: text };
  const told = localize('en', answer);
  expect(told).toEqual({ plain, said: 'unknown' });
  expect(Reflect.get(Object(told), 'plain')).toBe(plain);
  expect(answer.said).toBe(text);
  expect(localize('en', plain)).toBe(plain);
});

it('takes for a Message only what has its two keys', () => {
  for (const other of [
    { key: 'a' },
    { key: 'a', values: {}, more: 1 },
    { key: 1, values: {} },
    { values: {} },
  ])
    expect(localize('en', other)).toBe(other);
});
