/** Who a plan is: its id, and the little that a running job is compared with later. Written into the plan's folder. */
import type { AppliedCorrection, LaunchFile, LaunchPlan, PlannedRank } from './plan';

/** The file in a plan's folder that says who the plan is. */
export const planFileName = 'headroom-plan.json';
/** Of that file's form. */
export const savedPlanVersion = 1;

/** A plan as it is remembered after its files were written. */
export interface SavedPlan {
  readonly version: typeof savedPlanVersion;
  readonly id: string;
  readonly name: string;
  readonly ranks: readonly PlannedRank[];
  readonly correction: AppliedCorrection;
  readonly settings: PlanSettings;
  /** The version of the app that made it; null: not known. */
  readonly appVersion: string | null;
}

/** How it trains, in the field's own words: enough to tell two plans of one model apart. */
export interface PlanSettings {
  readonly method: LaunchPlan['method'];
  readonly strategy: string;
  readonly precision: string;
  readonly optimizer: string;
  readonly checkpointing: string;
  readonly offload: string;
  readonly world: number;
  readonly microBatch: number;
  readonly accumulationSteps: number;
  /** Null where the strategy has one way, and in plans that were saved before it was a choice. */
  readonly gradientSync: LaunchPlan['gradientSync'];
  readonly sequence: number;
}

/**
 * The plan's id: a hash of all that it says, 16 hexadecimal digits. The same plan has the same id wherever it is made; a plan that
 * expects other memory has another. No protection against a forged one, which could only mislead its own owner.
 */
export function planId(plan: LaunchPlan): string {
  return hashOf(canonicalJson(plan));
}

/** What is remembered of a plan. */
export function savedPlanOf(plan: LaunchPlan, appVersion: string | null): SavedPlan {
  const { accumulationSteps, checkpointing, gradientSync, method, microBatch, name, offload, optimizer } =
    plan;
  const { planned, precision, sequence, strategy, world } = plan;
  return {
    version: savedPlanVersion,
    id: planId(plan),
    name,
    ranks: planned,
    correction: plan.correction,
    settings: {
      method,
      strategy,
      precision,
      optimizer,
      checkpointing,
      offload,
      world,
      microBatch,
      accumulationSteps,
      gradientSync,
      sequence,
    },
    appVersion,
  };
}

/** The file that a folder is known by as this plan's. */
export function planFile(plan: LaunchPlan, appVersion: string | null): LaunchFile {
  return { name: planFileName, text: `${JSON.stringify(savedPlanOf(plan, appVersion), null, 2)}\n` };
}

/** JSON with the keys of every object in order, so that equal values have equal texts. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === 'object' && item !== null && !Array.isArray(item)
      ? Object.fromEntries(Object.entries(item).sort(([one], [other]) => (one < other ? -1 : 1)))
      : item,
  );
}

/** FNV-1a with 64 bits over UTF-16 code units (https://datatracker.ietf.org/doc/draft-eastlake-fnv/). */
function hashOf(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (let at = 0; at < text.length; at += 1)
    hash = BigInt.asUintN(64, (hash ^ BigInt(text.charCodeAt(at))) * 0x100000001b3n);
  return hash.toString(16).padStart(16, '0');
}
