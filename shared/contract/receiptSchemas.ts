/** The shapes of receipts and plans as they are kept in files. The page imports the types beside them, never this. */
import * as z from 'zod';
import { savedPlanVersion, type PlanSettings, type SavedPlan } from '../launch/savedPlan';
import { gradientSyncNames } from '../memory/configuration';
import type { RememberedPlan } from '../receipts/state';
import type { Receipt } from '../receipts/types';
import { bytes, correctionSchema, count, plannedRankSchema } from './schemaParts';

/** More cards than one plan has. */
const mostRanks = 1024;
const word = z.string().min(1).max(64);
const time = z.number().min(0);

export const planIdSchema = z.string().regex(/^[0-9a-f]{16}$/);

const settings: z.ZodType<PlanSettings> = z.strictObject({
  method: z.enum(['full', 'lora', 'qlora']),
  strategy: word,
  precision: word,
  optimizer: word,
  checkpointing: word,
  offload: word,
  world: count,
  microBatch: count,
  accumulationSteps: count,
  gradientSync: z.enum(gradientSyncNames).nullable().default(null),
  sequence: count,
});

export const savedPlanSchema: z.ZodType<SavedPlan> = z.strictObject({
  version: z.literal(savedPlanVersion),
  id: planIdSchema,
  name: z.string().min(1).max(200),
  ranks: z.array(plannedRankSchema).min(1).max(mostRanks),
  correction: correctionSchema,
  settings,
  appVersion: z.string().max(64).nullable(),
});

export const rememberedPlanSchema: z.ZodType<RememberedPlan> = z.strictObject({
  plan: savedPlanSchema,
  savedAt: time,
});

/** Long enough for a plan's id with a job's. */
export const receiptIdSchema = z.string().min(1).max(128);

export const receiptSchema: z.ZodType<Receipt> = z.strictObject({
  id: receiptIdSchema,
  planId: planIdSchema,
  name: z.string().min(1).max(200),
  settings,
  correction: correctionSchema,
  source: z.enum(['job', 'measurement']),
  jobId: z.string().max(64).nullable(),
  simulated: z.boolean(),
  driverVersion: z.string().max(64).nullable(),
  startedAt: time,
  endedAt: time.nullable(),
  end: z.enum(['running', 'finished', 'failed', 'died', 'freed', 'ended', 'unseen']),
  ranks: z
    .array(
      z.strictObject({
        rank: z.int().min(0),
        gpuIndex: z.int().min(0).nullable(),
        cardName: z.string().max(200).nullable(),
        planned: plannedRankSchema,
        allocatedPeakBytes: bytes.nullable(),
        reservedBytes: bytes.nullable(),
        processBytes: bytes.nullable(),
        steadyReadings: z.int().min(0),
      }),
    )
    .min(1)
    .max(mostRanks),
});
