import { uncorrected } from '../../../../shared/launch/plan';
import type { SavedPlan } from '../../../../shared/launch/savedPlan';
import type { Card } from '../../../../shared/gpu/types';
import type { Job, JobMember, ProcessFacts } from '../../../../shared/jobs/types';
import type { Receipt, ReceiptRank } from '../../../../shared/receipts/types';
import { facts } from '../jobs/facts';

export const GiB = 2 ** 30;
export const MiB = 2 ** 20;

export const plannedRank = {
  allocatedPeakBytes: 20 * GiB,
  reservedPeakBytes: 21 * GiB,
  contextBytes: 512 * MiB,
  processBytes: 21 * GiB + 512 * MiB,
};

export function savedPlan(ranks = 1, more: Partial<SavedPlan> = {}): SavedPlan {
  return {
    version: 1,
    id: '0123456789abcdef',
    name: 'llama-2-13b',
    ranks: Array.from({ length: ranks }, () => plannedRank),
    correction: uncorrected,
    settings: {
      method: 'lora',
      strategy: ranks === 1 ? 'single' : 'fsdp-full',
      precision: 'bf16',
      optimizer: 'adamw-fused',
      checkpointing: 'full',
      offload: 'none',
      world: ranks,
      microBatch: 1,
      accumulationSteps: 4,
      gradientSync: null,
      sequence: 1024,
    },
    appVersion: '0.1.0',
    ...more,
  };
}

export interface MemberGiven {
  readonly pid: number;
  readonly rank?: number | null;
  readonly role?: JobMember['role'];
  readonly cards?: readonly (readonly [gpuIndex: number, usedMiB: number | null])[];
  readonly process?: Partial<ProcessFacts>;
}

export function job(members: readonly MemberGiven[], more: Partial<Job> = {}): Job {
  return {
    id: '41822-7',
    title: 'train.py',
    user: 'ada',
    kind: 'torchrun',
    members: members.map(({ cards = [], pid, process = {}, rank = null, role = 'rank' }) => ({
      process: facts({ pid, ...process }),
      role,
      origin: 'started',
      listed: cards.length > 0,
      rank,
      cards: cards.map(([gpuIndex, used]) => ({ gpuIndex, usedBytes: used === null ? null : used * MiB })),
    })),
    worldSize: null,
    memoryBytes: null,
    residentBytes: null,
    cpuPercent: null,
    startedAt: 1000,
    verdict: 'healthy',
    idleSince: null,
    reasons: [],
    against: [],
    ownedByMe: true,
    ...more,
  };
}

/** The part of a card that receipts look at. */
export const cards = (count: number, name = 'NVIDIA GeForce RTX 3090') =>
  Array.from({ length: count }, (_, index) => ({ index, name }) as Card);

export function receipt(ranks: readonly Partial<ReceiptRank>[], more: Partial<Receipt> = {}): Receipt {
  const plan = savedPlan(ranks.length);
  return {
    id: `${plan.id}/1`,
    planId: plan.id,
    name: plan.name,
    settings: plan.settings,
    correction: plan.correction,
    source: 'job',
    jobId: '41822-7',
    simulated: false,
    driverVersion: '580.159.04',
    startedAt: 1000,
    endedAt: 2000,
    end: 'ended',
    ranks: ranks.map((rank, at) => ({
      rank: at,
      gpuIndex: at,
      cardName: 'NVIDIA GeForce RTX 3090',
      planned: plannedRank,
      allocatedPeakBytes: null,
      reservedBytes: null,
      processBytes: null,
      steadyReadings: 0,
      ...rank,
    })),
    ...more,
  };
}
