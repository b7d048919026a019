/**
 * A plan as the page hands it to main to be measured. Main writes the files from it itself: what is run is this app's own
 * script, never a text of the page's. So names are plain, and the model is no more than its config.
 */
import * as z from 'zod';
import { launchOptimizers, type LaunchPlan } from '../launch/plan';
import { gradientSyncNames, offloadNames, precisionNames, strategyNames } from '../memory/configuration';
import { ATTENTION_REQUESTS } from '../memory/operations/attention/request';
import { scheduleNames } from '../memory/training/pipeline/schedule';
import { correctionSchema, count, plannedRankSchema } from './schemaParts';

/** Larger than any config that a model's class can be built from at random. */
const mostConfig = 512 * 1024;
const moduleName = z.string().regex(/^[A-Za-z0-9_.]{1,64}$/);

export const launchPlanSchema: z.ZodType<LaunchPlan> = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9._-]{0,63}$/),
  task: z.enum(['causal', 'masked', 'sequence-to-sequence', 'image']),
  configJson: z.string().max(mostConfig).refine(isJsonObject, { error: 'No JSON object.' }),
  method: z.enum(['full', 'lora', 'qlora']),
  lora: z
    .strictObject({
      rank: count,
      alpha: count,
      dropout: z.number().min(0).lt(1),
      targets: z.union([z.literal('all-linear'), z.array(moduleName).min(1).max(32)]),
      dtype: z.enum(['fp32', 'model']),
    })
    .nullable(),
  doubleQuant: z.boolean(),
  precision: z.enum(precisionNames),
  optimizer: z.enum(launchOptimizers),
  strategy: z.enum(strategyNames),
  world: z.int().min(1).max(64),
  nodes: z.int().min(1).max(1024),
  schedule: z.enum(scheduleNames).nullable(),
  stageLayers: z.array(z.int().min(0).max(10_000)).max(64).nullable(),
  offload: z.enum(offloadNames),
  checkpointing: z.enum(['none', 'full']),
  attention: z.enum(ATTENTION_REQUESTS),
  microBatch: count,
  accumulationSteps: count,
  gradientSync: z.enum(gradientSyncNames).nullable(),
  sequence: count,
  gradientClip: z.boolean(),
  expandableSegments: z.boolean(),
  planned: z.array(plannedRankSchema).min(1).max(64),
  correction: correctionSchema,
});

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false; // JSON.parse throws for nothing else.
  }
}
