import type { JobMember } from '../../shared/jobs/types';
import { I18n } from '../../renderer/state/i18n.svelte';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { JobColours, jobColourCount } from '../../renderer/state/jobColours';
import { placeParts, type BarPart } from '../../renderer/ui/barParts';
import { commonName } from '../../renderer/workstation/cardView';
import { shortCardName } from '../../shared/gpu/cardName';
import { cardList } from '../../renderer/workstation/jobText';
import { throttleKey } from '../../renderer/workstation/throttle';
import { throttleNames } from '../../shared/gpu/smi/card';
import { card, member } from './support/snapshots';

const part = (bytes: number): BarPart => ({ key: String(bytes), name: '', bytes, fill: { kind: 'desktop' } });

test('parts follow each other and are cut at the end of the scale', () => {
  expect(
    placeParts([part(10), part(30), part(90)], 100).map((one) => [one.startPercent, one.widthPercent]),
  ).toEqual([
    [0, 10],
    [10, 30],
    [40, 60],
  ]);
  expect(placeParts([part(120), part(5)], 100)).toHaveLength(1);
  expect(placeParts([part(10)], 0)).toEqual([]);
});

test('no parts, however wrong, are drawn past the bar', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -1e12, max: 1e12, noNaN: true })),
      fc.double({ min: 0, max: 1e12, noNaN: true }),
      (sizes, scale) => {
        for (const placed of placeParts(sizes.map(part), scale)) {
          expect(placed.startPercent).toBeGreaterThanOrEqual(0);
          expect(placed.startPercent + placed.widthPercent).toBeLessThanOrEqual(100.000_001);
        }
      },
    ),
  );
});

test('a job keeps its colour, and jobs seen together differ while colours last', () => {
  const colours = new JobColours();
  colours.see(['b', 'a']);
  expect([colours.of('a'), colours.of('b')]).toEqual([0, 1]);
  colours.see(['b', 'c']);
  expect([colours.of('a'), colours.of('b'), colours.of('c')]).toEqual([0, 1, 0]);
  const many = Array.from({ length: jobColourCount }, (_, index) => `job-${index}`);
  const fresh = new JobColours();
  fresh.see(many);
  expect(new Set(many.map((id) => fresh.of(id))).size).toBe(jobColourCount);
});

test('a job that is there keeps its colour, however many came and went', () => {
  const colours = new JobColours();
  const steady = ['a', 'b', 'c'];
  colours.see(steady);
  const before = steady.map((id) => colours.of(id));
  for (let index = 0; index < 6_000; index += 1) colours.see([...steady, `short-${index}`]);
  expect(steady.map((id) => colours.of(id))).toEqual(before);
});

test('every reason of the driver has words', () => {
  expect(throttleNames.filter((name) => throttleKey(name) === null)).toEqual([]);
  expect(throttleKey('a_reason_of_next_year')).toBeNull();
});

test('card names lose only what all of them say', () => {
  expect(shortCardName('NVIDIA GeForce RTX 3090')).toBe('RTX 3090');
  expect(shortCardName('NVIDIA H100 80GB HBM3')).toBe('H100 80GB HBM3');
  expect(shortCardName('Tesla V100-SXM2-32GB')).toBe('Tesla V100-SXM2-32GB');
  expect(shortCardName('GeForce')).toBe('GeForce');
  expect(commonName([card(0), card(1)])).toBe('NVIDIA GeForce RTX 3090');
  expect(commonName([card(0), card(1, { name: 'NVIDIA H200' })])).toBeNull();
  expect(commonName([card(0, { name: null }), card(1, { name: null })])).toBeNull();
});

const cardsOf = (members: readonly JobMember[]) => cardList(members, new Map(), new I18n(() => 'en'));

test('runs of cards are told as ranges', () => {
  const on = (...cards: number[]) => [
    member(
      1,
      cards.map((index) => [index, 1]),
    ),
  ];
  expect(cardsOf(on())).toBeNull();
  expect(cardsOf(on(3))).toBe('3');
  expect(cardsOf(on(1, 0))).toBe('0, 1');
  expect(cardsOf(on(0, 1, 2, 5, 7, 8, 9))).toBe('0–2, 5, 7–9');
});
