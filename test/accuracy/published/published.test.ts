import { expect, test } from 'vitest';
import { playPublished } from './play';
import { summarisePublished } from './report';
import { publishedQuestions } from './rows';

/** Every so many rows of the list; `npm run accuracy` compares with all of them. */
const stride = 24;

test('figures that others published are met no worse than on 2026-12-01', () => {
  const questions = publishedQuestions();
  expect(questions).toHaveLength(358);
  const sample = questions.filter((_, index) => index % stride === 0).map(playPublished);
  const { figures, held, median, right, verdicts } = summarisePublished(sample);
  expect(figures).toBe(11);
  expect(median).toBeLessThan(0.135);
  expect(held).toBeGreaterThan(0.7);
  expect(verdicts).toBe(15);
  expect(right).toBeGreaterThanOrEqual(12);
});

test('full fine-tuning of Qwen-7B on two cards of 80 GiB, which was done, is not called impossible', () => {
  const rows = publishedQuestions().filter(({ row }) => row.id === 'qwen-7b-full2-256');
  expect(rows.map((question) => playPublished(question).says)).toEqual(['fits']);
});
