/**
 * What train.py measured of itself in the runs of `runs.json` on an H200 (`max_memory_allocated` after four steps), beside what the
 * estimate says of the same plan.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { type LaunchPlan, scriptPixels } from '../../../../shared/launch/plan';
import { H200 } from '../../../../shared/gpu/models';
import { estimate } from '../../../../shared/memory/estimate';
import { readModel } from '../../../../shared/families/readModel';
import { variants } from './variants';

interface Run {
  readonly variant: string;
  readonly where: string;
  readonly failing: boolean;
  readonly peak: readonly string[];
}

const file = path.resolve(import.meta.dirname, '../../../fixtures/launch/runs.json');
const { runs } = JSON.parse(readFileSync(file, 'utf8')) as { readonly runs: readonly Run[] };

/** Allocated peak of each card by the estimate, with as many cards as the run had. */
function estimated(plan: LaunchPlan, world: number): readonly number[] {
  const withClass = {
    architectures: [classOf(plan)],
    // What transformers takes where a file does not say it.
    ...(plan.task === 'masked' ? { max_position_embeddings: 512, type_vocab_size: 2 } : {}),
    ...(JSON.parse(plan.configJson) as object),
  };
  const reading = readModel(JSON.stringify(withClass));
  if (reading.kind === 'refused') throw new Error(reading.reason.key);
  const { attention, lora, method, optimizer, precision, schedule, strategy } = plan;
  // train.py casts the adapters of a sharded model: one shard group has one type.
  const adapterType = strategy.startsWith('fsdp') && precision === 'bf16' ? 'model' : (lora?.dtype ?? 'fp32');
  if (method === 'qlora') throw new Error('was not run');
  const answer = estimate(reading.architecture, {
    training: {
      method:
        lora === null
          ? { kind: 'full' }
          : {
              kind: 'lora',
              adapters: {
                rank: lora.rank,
                alpha: lora.alpha,
                targets: lora.targets,
                dropout: lora.dropout,
                adapterType,
              },
            },
      precision,
      optimizer,
      microBatch: plan.microBatch,
      sequence: plan.sequence,
      accumulation: plan.accumulationSteps,
      checkpointing: { kind: plan.checkpointing },
      attention,
      clipGradients: plan.gradientClip,
      gradientSync: plan.gradientSync,
      reduceType: 'fp32',
      pixels: plan.task === 'image' ? scriptPixels : 'fp32',
    },
    strategy,
    world,
    offload: plan.offload,
    schedule: schedule ?? '1f1b',
    expandableSegments: plan.expandableSegments,
    card: H200,
    cardMib: [],
    contextMib: null,
    timeline: false,
  });
  if (answer.kind === 'refused') throw new Error(answer.reason.key);
  return answer.estimate.cards.map(({ allocatedPeakBytes }) => allocatedPeakBytes);
}

const classes = {
  causal: 'LlamaForCausalLM',
  masked: 'BertForMaskedLM',
  'sequence-to-sequence': 'T5ForConditionalGeneration',
  image: 'ViTForImageClassification',
} as const;
const classOf = ({ task }: LaunchPlan): string => classes[task];

/** Cut into other stages than the planner would cut it into, so there is no estimate of it. */
const notEstimated = new Set(['pipeline-gpipe-bf16']);

const measured = runs.filter(
  ({ failing, peak, variant }) => !failing && peak.length > 0 && !notEstimated.has(variant),
);

/** Two or three megabytes of this small model are not explained. */
const lessExact: ReadonlyMap<string, number> = new Map([['image-bf16', 0.03]]);

it('is known of at least twenty runs', () => expect(measured.length).toBeGreaterThanOrEqual(20));

it.each(measured.map((run) => [run.variant, run.where, run] as const))(
  '%s on %s',
  (variant, where, { peak }) => {
    const plan = variants[variant];
    if (plan === undefined) throw new Error(`no variant ${variant}`);
    const expected = estimated(plan, where === 'gpu2' ? plan.world : 1);
    const found = peak.map((text) => Number(/measured peak (\d+)/.exec(text)?.[1]));
    for (const [rank, bytes] of found.entries())
      expect(Math.abs((expected[rank] ?? Number.NaN) / bytes - 1)).toBeLessThan(
        lessExact.get(variant) ?? 0.01,
      );
  },
);
