import { expect, test } from 'vitest';
import { printable } from '../../../shared/printable';

test('a text cannot steer a terminal', () => {
  expect(printable('a\tb\u0007')).toBe('a\ufffdb\ufffd');
  expect(printable('\u001b[2Jtrain.py\u009b1A')).toBe('\ufffd[2Jtrain.py\ufffd1A');
});

test('nor look like another one by a change of the direction of writing', () => {
  expect(printable('rm \u202eyp.niart')).toBe('rm \ufffdyp.niart');
  expect(printable('a\u2066b\u2069 c\u200fd\u2028e')).toBe('a\ufffdb\ufffd c\ufffdd\ufffde');
});

test('words of any language stay as they are', () => {
  const text = '显存 訓練.py обучение तालीम émoji 🙂';
  expect(printable(text)).toBe(text);
});
