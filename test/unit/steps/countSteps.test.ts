import { describe, expect, it } from 'vitest';
import { countSteps, engineExec, machineExec, startCounting } from '../../steps/countSteps';

startCounting();

describe('the counting machine', () => {
  it.each<readonly [RegExp, string]>([
    [/a(b|c)*d/, 'xxabcbd'],
    [/a(b|c)*?d/, 'abcbd abd'],
    [/^(\d+)\.(\d{2,4})$/m, 'one\n12.345\n'],
    [/(?<=\$)\d+(?!\d|\.)/, '$12.5 $14'],
    [/(?<!\w)(?<first>\w)\w*\k<first>/, 'abc xyzx'],
    [/\bps\b.*?\|\s*x/i, 'cat; PS aux | XARGS'],
    [/[^\S\n]{1,3}$/, 'word   '],
    [/(?:a|ab)(?:c|bcd)(d*)/, 'abcd'],
    [/(z)((a+)?(b+)?(c))*/, 'zaacbbbcac'],
    [/(?=(a+))a*b\1/, 'baaabac'],
    [/(a*)*/, 'b'],
    [/x{0}y?/, 'xy'],
    [/\u{1F600}+/u, 'a😀😀'],
  ])('%s finds in %j what the engine finds', (expression, text) => {
    const found = machineExec(expression, text);
    const wanted = engineExec(expression, text);
    expect(found && [...found]).toEqual(wanted && [...wanted]);
    expect(found?.index).toBe(wanted?.index);
  });

  it('answers what replace, split, match and test answer without it', () => {
    const answers = (): unknown => [
      'a1b22'.replace(/\d+/g, (digits) => `<${digits}>`),
      'a, b,c'.split(/\s*,\s*/),
      [...'k=v; x=y'.matchAll(/(?<key>\w)=(?<value>\w)/g)].map(({ groups }) => ({ ...groups })),
      /^\s*$/.test('  '),
    ];
    const wanted = answers();
    let counted: unknown;
    countSteps(() => {
      counted = answers();
    });
    expect(counted).toEqual(wanted);
  });

  it('sees a quadratic expression, a quadratic loop and a quadratic search, and no more', () => {
    const ratio = (run: (size: number) => void): number =>
      countSteps(() => run(800)) / countSteps(() => run(400));
    expect(ratio((size) => /\s+$/.test(`${' '.repeat(size)}x`))).toBeGreaterThan(3.5);
    expect(ratio((size) => /\s+x/.test(`${' '.repeat(size)}x`))).toBeLessThan(2.2);
    expect(
      ratio((size) => {
        for (let i = 0; i < size; i += 1) for (let j = 0; j < size; j += 1) Math.abs(j);
      }),
    ).toBeGreaterThan(3.5);
    expect(
      ratio((size) => {
        for (let i = 0; i < size; i += 1) 'a'.repeat(size).indexOf('b');
      }),
    ).toBeGreaterThan(3.5);
  });

  it('counts the same twice', () => {
    const run = (): unknown => 'one two three'.split(' ').map((word) => /t(w|h)/.exec(word));
    countSteps(run);
    expect(countSteps(run)).toBe(countSteps(run));
  });
});
