import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCount, readGib, readShare, readTargets } from '../../../../../shared/strategy/wizard/fields';
import { matchesSearch } from '../../../../../shared/strategy/wizard/search';

describe('what is typed into a field', () => {
  it.each([
    ['2048', 2048],
    [' 2,048 ', 2048],
    ['2 048', 2048],
    ['1_048_576', 1_048_576],
    ['0', null],
    ['-1', null],
    ['1.5', null],
    ['20,48', null],
    ['2k', null],
    ['', null],
    ['1000001', null],
  ])('reads %j as the count %j', (text, count) => {
    expect(readCount(text, 1_048_576)).toBe(text === '1000001' ? 1_000_001 : count);
    expect(readCount('1000001', 1_000_000)).toBeNull();
  });

  it.each([
    ['64', 64],
    ['64 GiB', 64],
    ['0,5', 0.5],
    ['1.25g', 1.25],
    ['0', null],
    ['64 MiB', null],
    ['many', null],
  ])('reads %j as the size %j GiB', (text, gib) => {
    expect(readGib(text, 1000)).toBe(gib);
  });

  it.each([
    ['0', 0],
    ['0.05', 0.05],
    [',1', 0.1],
    ['1', null],
    ['5 %', null],
    ['', null],
  ])('reads %j as the share %j', (text, share) => {
    expect(readShare(text)).toBe(share);
  });

  it.each([
    ['all-linear', 'all-linear'],
    ['q_proj, v_proj', ['q_proj', 'v_proj']],
    ['q_proj v_proj', ['q_proj', 'v_proj']],
    ['model.layers.0.mlp', ['model.layers.0.mlp']],
    ['q_proj; rm -rf', null],
    ['all-linear, q_proj', null],
    [' , ', null],
  ])('reads %j as the targets %j', (text, targets) => {
    expect(readTargets(text)).toEqual(targets);
  });

  it('never gives a value outside of its range', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 1000 }), (text, most) => {
        const count = readCount(text, most);
        expect(count === null || (count >= 1 && count <= most && Number.isInteger(count))).toBe(true);
        const share = readShare(text);
        expect(share === null || (share >= 0 && share < 1)).toBe(true);
      }),
    );
  });

  it('take the full width that Chinese input methods write', () => {
    expect(readCount('４０９６', 10_000)).toBe(4096);
    expect(readCount('２，０４８', 10_000)).toBe(2048);
    expect(readGib('６４．５　ＧＢ', 1000)).toBe(64.5);
    expect(readShare('０．１')).toBe(0.1);
    expect(readTargets('q_proj，v_proj、o_proj')).toEqual(['q_proj', 'v_proj', 'o_proj']);
  });
});

describe('a search', () => {
  it.each(['llama 13', '2 13b', 'LLAMA-2-13B', 'llama2 13b', ''])('finds Llama 2 13B by %j', (search) => {
    expect(matchesSearch(search, ['llama-2-13b', 'Llama 2 13B'])).toBe(true);
  });

  it.each(['llama 70', 'qwen', '13bb'])('does not find it by %j', (search) => {
    expect(matchesSearch(search, ['llama-2-13b', 'Llama 2 13B'])).toBe(false);
  });
});
