/** What several schemas of the contract are made of. */
import * as z from 'zod';
import type { AppliedCorrection, PlannedRank } from '../launch/plan';

/** A number of things that a plan counts: layers, samples, cards. */
export const count = z.int().min(1).max(1_000_000_000);

/** A size in bytes, as exact as a number can be. */
export const bytes = z
  .number()
  .min(0)
  .max(2 ** 53);

/** What a plan expects one rank to hold. */
export const plannedRankSchema: z.ZodType<PlannedRank> = z.strictObject({
  allocatedPeakBytes: bytes,
  reservedPeakBytes: bytes,
  contextBytes: bytes,
  processBytes: bytes,
});

/** What receipts had taught when something was planned; sizes and shares may be negative. */
export const correctionSchema: z.ZodType<AppliedCorrection> = z.strictObject({
  contextBytes: z
    .number()
    .min(-(2 ** 40))
    .max(2 ** 40),
  share: z.number().min(-1).max(1),
});
