import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseTolerantJson } from '../../../../shared/model/json';

const valueOf = (text: string): unknown => {
  const parsed = parseTolerantJson(text);
  return parsed.kind === 'value' ? parsed.value : parsed;
};

describe('JSON as Python writes it', () => {
  test('bare Infinity and NaN, inside lists and objects', () => {
    expect(valueOf('{"time_step_limit": [0.0, Infinity], "a": NaN, "b": -Infinity}')).toEqual({
      time_step_limit: [0, Infinity],
      a: NaN,
      b: -Infinity,
    });
  });

  test('a byte-order mark, Windows line ends, no final newline', () => {
    expect(valueOf('\uFEFF{\r\n  "hidden_size": 4096\r\n}')).toEqual({ hidden_size: 4096 });
  });

  test('a comma before the closing bracket', () => {
    expect(valueOf('{"a": [1, 2,], "b": {"c": null,},}')).toEqual({ a: [1, 2], b: { c: null } });
  });

  test('text and a second value after the object are reported, not read', () => {
    expect(parseTolerantJson('{"a": 1}\n{"b": 2} and more')).toEqual({
      kind: 'value',
      value: { a: 1 },
      trailingText: true,
    });
    expect(parseTolerantJson('{"a": 1}\n')).toMatchObject({ trailingText: false });
  });

  test('where it breaks is told', () => {
    expect(parseTolerantJson('{"a": 1, "b": tru}')).toEqual({ kind: 'broken', position: 14 });
    expect(parseTolerantJson('{"a": ')).toEqual({ kind: 'broken', position: 6 });
    expect(parseTolerantJson('{"a": "b')).toEqual({ kind: 'broken', position: 6 });
    expect(parseTolerantJson('<!DOCTYPE html>')).toEqual({ kind: 'broken', position: 0 });
  });

  test('a tower of brackets is refused, not followed', () => {
    expect(parseTolerantJson(`${'['.repeat(100_000)}NaN`)).toMatchObject({ kind: 'broken' });
  });

  test('a member called __proto__ is a member', () => {
    const value = valueOf('{"__proto__": {"hidden_size": 1}, "a": NaN}');
    expect(Object.keys(value as object)).toEqual(['__proto__', 'a']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });

  test('whatever JSON.stringify writes is read back, strict or lenient', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(valueOf(text)).toEqual(JSON.parse(text));
        // The NaN keeps JSON.parse away, so that the lenient reader does the work.
        expect(valueOf(`[NaN, ${text}]`)).toEqual([NaN, JSON.parse(text)]);
      }),
    );
  });

  test('no text makes it throw', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'{}[]",:\\ntfNIa0-9.e+ \n\uFEFF') }), (text) => {
        expect(['value', 'broken']).toContain(parseTolerantJson(text).kind);
      }),
    );
  });
});
