/**
 * What a plan's folder says of a run in it: the plan that was written there, and the logs of its ranks. Only folders of jobs
 * of the same user that carry a plan's mark are read, each file only as far as its limit.
 */
import path from 'node:path';
import { savedPlanSchema } from '../../shared/contract/receiptSchemas';
import type { PlannedRank } from '../../shared/launch/plan';
import { planFileName, type SavedPlan } from '../../shared/launch/savedPlan';
import { readRankLog, type RankLog } from '../../shared/receipts/rankLog';
import { readTail, readWhole } from '../storage/boundedFile';

const mostPlanBytes = 256 * 1024;
/** A log's last part: some thousand reports. */
const mostLogBytes = 256 * 1024;

/** The plan in the folder; null where there is none of that id. Never rejects. */
export async function readPlanFile(folder: string, planId: string): Promise<SavedPlan | null> {
  const text = await textOf(readWhole(path.join(folder, planFileName), mostPlanBytes));
  const plan = text === null ? null : parsePlan(text);
  return plan?.id === planId ? plan : null;
}

/** The plan among files that were just written; null where they hold none. */
export function savedPlanAmong(
  files: readonly { readonly name: string; readonly text: string }[],
): SavedPlan | null {
  const file = files.find(({ name }) => name === planFileName);
  return file === undefined ? null : parsePlan(file.text);
}

function parsePlan(text: string): SavedPlan | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null; // JSON.parse throws for nothing else: what is no JSON is no plan.
  }
  return savedPlanSchema.safeParse(value).data ?? null;
}

/**
 * What the logs of a plan's ranks say since the run began (seconds since the epoch); ranks without a log are left out.
 * Never rejects.
 */
export async function readRankLogs(
  folder: string,
  ranks: readonly PlannedRank[],
  since: number,
): Promise<ReadonlyMap<number, RankLog>> {
  const logs = new Map<number, RankLog>();
  const from = localTimeText(since);
  let first: string | null = null;
  for (const [rank, { allocatedPeakBytes }] of ranks.entries()) {
    const text = await textOf(readTail(path.join(folder, 'logs', `rank${rank}.log`), mostLogBytes));
    if (rank === 0) first = text;
    if (text !== null) logs.set(rank, readRankLog(text, allocatedPeakBytes, from));
    else if (first !== null) {
      // One process on several cards has one log that tells of all.
      const log = readRankLog(first, allocatedPeakBytes, from, rank);
      if (log.allocatedPeakBytes !== null) logs.set(rank, log);
    }
  }
  return logs;
}

/** `2026-11-29 20:14:05` in the machine's local time, as Python's logging writes times. */
export function localTimeText(time: number): string {
  const date = new Date(time * 1000);
  const two = (value: number): string => String(value).padStart(2, '0');
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`;
}

async function textOf(reading: Promise<Buffer | null>): Promise<string | null> {
  try {
    return (await reading)?.toString('utf8') ?? null;
  } catch {
    return null; // Not there, or not ours to read: then the run is known from outside only.
  }
}
