import { describe, expect, it } from 'vitest';
import { gpuModelNamed } from '../../../../shared/gpu/modelNamed';
import { H200 } from '../../../../shared/gpu/models';
import { linksOfCard, type LinkSpeeds } from '../../../../shared/strategy/links';
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

const immediate: LinkSpeeds = { ...linksOfCard(H200), betweenCardsBytesPerSecond: Infinity };

/** Seconds of a step with one micro-batch, or of as much of one with several. */
function predicted({ microBatch, model, seq, wishes }: Run, links = immediate): number {
  const architecture = catalogued(model);
  const { request } = questionOf(architecture, [], { optimizer: 'adamw', microBatch, seq, ...wishes });
  const trainable = parameterCount(architecture);
  const facts = {
    work: workOf(architecture, seq),
    trainable,
    card: H200,
    links,
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

  it('of full offload is several times the plain one: 8 times was measured for Llama-3.2 1B', () => {
    const run = plain('llama-3.2-1b');
    const offloaded = { ...run, wishes: { strategy: 'fsdp-full', offload: 'all' } };
    expect(predicted(offloaded) / predicted(run)).toBeGreaterThan(6);
    expect(predicted(offloaded) / predicted(run)).toBeLessThan(10);
  });

  it('of DataParallel grows with every micro-batch, of DDP once a step', () => {
    const run = { ...plain('llama-3.2-1b'), microBatch: 1 };
    const links = linksOfCard(gpuModelNamed('RTX 3090').card);
    const traffic = (strategy: string, accumulation: number): number => {
      const spread = { ...run, wishes: { strategy, world: 2, accumulation } };
      return predicted(spread, links) - predicted(spread);
    };
    // Weights and gradients of 4 bytes to and from the second card, and 8 % for a strategy that was not measured.
    expect(traffic('dp', 1)).toBeCloseTo((1.08 * 8 * 1_235_814_400) / 12e9, 3);
    expect(traffic('dp', 4) / traffic('dp', 1)).toBeCloseTo(1, 1);
    expect(traffic('ddp', 4) / traffic('ddp', 1)).toBeLessThan(0.5);
  });

  it('has the order of magnitude that was measured', () => {
    for (const run of measured) {
      expect(predicted(run) / run.seconds).toBeGreaterThan(0.5);
      expect(predicted(run) / run.seconds).toBeLessThan(1.5);
    }
  });
});
