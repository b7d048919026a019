import { describe, expect, it } from 'vitest';
import { H200 } from '../../../../shared/memory/cards';
import { linksOfCard } from '../../../../shared/strategy/links';
import { secondsPerSample } from '../../../../shared/strategy/stepTime';
import { workOf } from '../../../../shared/strategy/work';
import { parameterCount } from '../../../../shared/model/inventory';
import { catalogued, questionOf } from './questions';

interface Run {
  readonly model: string;
  readonly microBatch: number;
  readonly seq: number;
  readonly wishes: Readonly<Record<string, unknown>>;
  readonly seconds: number;
}

/** Step times on an H200 with nothing else on the card (the project's timing rows); AdamW is PyTorch's foreach. */
const measured: readonly Run[] = [
  { model: 'llama-3.2-1b', microBatch: 4, seq: 1024, wishes: {}, seconds: 0.1171 },
  { model: 'llama-3.2-1b', microBatch: 4, seq: 1024, wishes: { precision: 'fp32' }, seconds: 0.7386 },
  { model: 'llama-3.2-1b', microBatch: 4, seq: 1024, wishes: { attention: 'eager' }, seconds: 0.1681 },
  // Two ranks whose collectives move nothing.
  {
    model: 'llama-3.2-1b',
    microBatch: 4,
    seq: 1024,
    wishes: { strategy: 'fsdp-full', world: 2 },
    seconds: 0.1397,
  },
  { model: 'tinyllama-1.1b', microBatch: 4, seq: 2048, wishes: {}, seconds: 0.1925 },
  { model: 'tinyllama-1.1b', microBatch: 4, seq: 2048, wishes: { precision: 'bf16' }, seconds: 0.1639 },
  { model: 'tinyllama-1.1b', microBatch: 4, seq: 2048, wishes: { precision: 'fp32' }, seconds: 1.4985 },
  { model: 'tinyllama-1.1b', microBatch: 4, seq: 2048, wishes: { attention: 'eager' }, seconds: 0.4737 },
  { model: 'gpt2-medium', microBatch: 8, seq: 1024, wishes: {}, seconds: 0.1267 },
  { model: 'gpt2-medium', microBatch: 8, seq: 1024, wishes: { precision: 'bf16' }, seconds: 0.0898 },
  { model: 'gpt2-medium', microBatch: 8, seq: 1024, wishes: { checkpointing: 'full' }, seconds: 0.1616 },
];

function predicted({ microBatch, model, seq, wishes }: Run): number {
  const architecture = catalogued(model);
  const { request } = questionOf(architecture, [], { optimizer: 'adamw', microBatch, seq, ...wishes });
  const trainable = parameterCount(architecture);
  const facts = {
    work: workOf(architecture, seq),
    trainable,
    card: H200,
    links: { ...linksOfCard(H200), betweenCards: Infinity },
    largestStage: 1,
  };
  return secondsPerSample(request, facts) * microBatch * request.world;
}

const plain = (model: string): Run => {
  const run = measured.find((one) => one.model === model && Object.keys(one.wishes).length === 0);
  if (run === undefined) throw new Error(`no plain run of ${model}`);
  return run;
};

describe('the time of a step', () => {
  it.each(measured.filter(({ wishes }) => Object.keys(wishes).length > 0))(
    'of $model with $wishes against the plain one is as measured, within a quarter',
    (run) => {
      const ratio = predicted(run) / predicted(plain(run.model));
      const measuredRatio = run.seconds / plain(run.model).seconds;
      expect(ratio / measuredRatio).toBeGreaterThan(0.75);
      expect(ratio / measuredRatio).toBeLessThan(1.25);
    },
  );

  it('has the order of magnitude that was measured', () => {
    for (const run of measured) {
      expect(predicted(run) / run.seconds).toBeGreaterThan(0.5);
      expect(predicted(run) / run.seconds).toBeLessThan(1.5);
    }
  });
});
