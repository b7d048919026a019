import { message } from '../../i18n/message';
import { GiB, MiB } from '../../units';
import type { CaseInLog } from '../case';
import {
  littleUnallocated,
  outside,
  ownTensors,
  progressAt,
  requestAndFree,
  requestOfCard,
  selfInList,
} from './evidence';
import {
  cardIsFullOfOwn,
  fractionIsCapped,
  freeIsEnough,
  hasCardNumbers,
  hasSpilled,
  isFragmented,
  isPartlyFragmented,
  looksLikeWindows,
  othersHoldMuch,
  othersHoldThePart,
  ownShare,
  requestIsHuge,
  unallocatedIsEnough,
} from './numbers';
import { family, has, isStory, numberDetail, told, type Rule } from './rule';

/** Causes that the numbers of a full card tell: research/oom.md, section 2, steps 4 to 10. */
export const cardRules: readonly Rule[] = [
  {
    cause: 'memory_fraction_cap',
    when: (at) => isStory(at, 'gpu-oom') && fractionIsCapped(at),
    confidence: 0.92,
    evidence: (at) => {
      const { allowed, capacity } = at.it.quantities;
      return [message('doctorEvidence.allowed', { allowed, capacity }), ...requestAndFree(at)];
    },
  },
  {
    cause: 'wddm_sysmem_fallback',
    when: hasSpilled,
    confidence: 0.85,
    evidence: (at) => {
      const { allocated, capacity } = at.it.quantities;
      return [message('doctorEvidence.spilled', { allocated, capacity })];
    },
  },
  {
    cause: 'capacity_misreported',
    when: (at) => (numberDetail(at.it, 'vramBytes') ?? 0) > 1.5 * (at.it.quantities.capacity ?? Infinity),
    confidence: 0.93,
    evidence: (at) => [
      message('doctorEvidence.capacityDiffers', {
        capacity: at.it.quantities.capacity,
        installed: numberDetail(at.it, 'vramBytes'),
      }),
    ],
  },
  {
    cause: 'capacity_misreported',
    when: (at) => {
      const { free, capacity } = at.it.quantities;
      return free !== null && capacity !== null && free > capacity + 64 * MiB;
    },
    confidence: 0.7,
    evidence: (at) => {
      const { free, capacity } = at.it.quantities;
      return [message('doctorEvidence.freeOverCapacity', { free, capacity })];
    },
  },
  {
    cause: 'single_huge_tensor',
    when: requestIsHuge,
    confidence: (at) => (has(at, 'attentionFrame', 'lossFrame') ? 0.5 : 0.86),
    evidence: (at) => [...requestOfCard(at), ...requestAndFree(at)],
  },
  {
    cause: 'attention_math_fallback',
    when: (at) =>
      requestIsHuge(at) && !has(at, 'attentionFrame') && (at.it.quantities.allocated ?? 0) > 2 * GiB,
    confidence: 0.4,
    evidence: (at) => [...requestOfCard(at), message('doctorEvidence.noFrameShown')],
  },
  {
    cause: 'attention_math_fallback',
    when: (at) => {
      const { tried, capacity } = at.it.quantities;
      return has(at, 'attentionFrame') && tried !== null && capacity !== null && tried > 0.25 * capacity;
    },
    confidence: (at) =>
      (at.it.quantities.tried ?? 0) > 0.5 * (at.it.quantities.capacity ?? Infinity) ? 0.88 : 0.6,
    evidence: (at) => [message('doctorEvidence.attentionFrame'), ...requestOfCard(at)],
  },
  {
    cause: 'free_gt_request',
    when: (at) => freeIsEnough(at) && at.it.fresh,
    confidence: 0.8,
    evidence: (at) => [...requestAndFree(at), message('doctorEvidence.driverRefused')],
  },
  {
    cause: 'host_ram_masked',
    when: (at) => freeIsEnough(at) && at.it.fresh,
    confidence: 0.5,
    evidence: (at) => requestAndFree(at),
  },
  {
    cause: 'windows_commit_limit',
    when: (at) => freeIsEnough(at) && at.it.fresh && looksLikeWindows(at),
    confidence: 0.62,
    evidence: (at) => [...requestAndFree(at), message('doctorEvidence.looksLikeWindows')],
  },
  {
    cause: 'per_allocation_limit',
    when: (at) => {
      const { tried, capacity, allocated, free } = at.it.quantities;
      if (tried === null || capacity === null || allocated === null) return false;
      const mayHaveLimit = family(at, 'XPU') || (family(at, 'P7-expandable-HIP', 'P3') && freeIsEnough(at));
      return (
        mayHaveLimit &&
        allocated < 0.15 * capacity &&
        tried >= GiB &&
        tried < 0.75 * capacity &&
        (free ?? tried) >= tried
      );
    },
    confidence: (at) => (family(at, 'XPU') ? 0.85 : 0.45),
    evidence: (at) => [...ownTensors(at), ...requestOfCard(at)],
  },
  {
    cause: 'single_huge_tensor',
    when: (at) => told(at, 'MPS-buffer'),
    confidence: 0.72,
    evidence: (at) => [message('doctorEvidence.oneBuffer', { tried: at.it.facts.triedBytes })],
  },
  {
    cause: 'per_allocation_limit',
    when: (at) => told(at, 'MPS-buffer'),
    confidence: 0.6,
    evidence: (at) => [message('doctorEvidence.oneBuffer', { tried: at.it.facts.triedBytes })],
  },
  {
    cause: 'fragmentation',
    when: isFragmented,
    // On a card that is nearly full of tensors the unused rest is small, and a segment of 2 MiB belongs to the pool of
    // small blocks, which cannot use what is unused in the other pool (c10/cuda/CUDACachingAllocator.cpp, kSmallBuffer).
    confidence: (at) => ((at.it.quantities.tried ?? 0) <= 2 * MiB ? 0.35 : cardIsFullOfOwn(at) ? 0.55 : 0.84),
    evidence: (at) => {
      const { unallocated, tried, free } = at.it.quantities;
      return [
        unallocatedIsEnough(at)
          ? message('doctorEvidence.unallocatedEnough', { unallocated, tried })
          : message('doctorEvidence.unallocatedWithFree', { unallocated, free, tried }),
        ...requestAndFree(at),
        ...selfInList(at),
      ];
    },
  },
  {
    cause: 'fragmentation',
    when: (at) => isPartlyFragmented(at) && !requestIsHuge(at) && !othersHoldMuch(at),
    confidence: 0.3,
    evidence: (at) => {
      const { unallocated, tried } = at.it.quantities;
      return [message('doctorEvidence.unallocatedPart', { unallocated, tried })];
    },
  },
  {
    cause: 'fragmentation',
    when: (at) => at.it.format === 'memory-snapshot',
    confidence: 0.7,
    evidence: () => [message('doctorEvidence.snapshotWithHoles')],
  },
  {
    cause: 'mps_other_allocations',
    when: (at) =>
      (numberDetail(at.it, 'otherAllocationsBytes') ?? 0) > (at.it.facts.allocatedBytes ?? Infinity),
    confidence: 0.85,
    evidence: (at) => [
      message('doctorEvidence.mpsOthers', {
        others: numberDetail(at.it, 'otherAllocationsBytes'),
        allocated: at.it.facts.allocatedBytes,
        allowed: at.it.facts.allowedBytes,
      }),
    ],
  },
  ...fullCard(),
];

/**
 * The card is full of this process's own tensors. "Batch too large" where a step was running, "too small" else: the
 * numbers are the same.
 */
function fullCard(): readonly Rule[] {
  const evidence = (at: CaseInLog) => [
    ...ownTensors(at),
    ...requestAndFree(at),
    ...littleUnallocated(at),
    ...(othersHoldMuch(at) ? outside(at) : selfInList(at)),
    ...progressAt(at),
  ];
  const applies = (at: CaseInLog): boolean =>
    isStory(at, 'gpu-oom') &&
    !told(at, 'memory-snapshot', 'P-1EB', 'TF-pinned-host', 'ggml-pinned') &&
    at.it.details['hostDevice'] === undefined;
  return [
    {
      cause: 'too_small_card_or_batch',
      when: (at) => applies(at) && !stepWasRunning(at),
      confidence: fullConfidence,
      evidence,
    },
    {
      cause: 'batch_too_large',
      when: (at) => applies(at) && stepWasRunning(at),
      confidence: fullConfidence,
      evidence,
    },
  ];
}

function stepWasRunning(at: CaseInLog): boolean {
  if (has(at, 'loadFrame', 'loadWords', 'paramArgWords')) return false;
  return has(at, 'backwardFrame', 'retryWords') || at.it.progress?.phase === 'training';
}

/** How likely it is that nothing but size is wrong, by what else the numbers say. */
function fullConfidence(at: CaseInLog): number {
  if (freeIsEnough(at) && at.it.fresh) return 0.12;
  if (fractionIsCapped(at)) return 0.2;
  if (hasSpilled(at)) return 0.7;
  if (family(at, 'MPS')) return mpsIsFull(at) ? 0.75 : 0.3;
  if (requestIsHuge(at)) return ownShare(at) > 0.6 ? 0.4 : 0.2;
  if (isFragmented(at)) return cardIsFullOfOwn(at) ? 0.7 : 0.3;
  if (othersHoldMuch(at)) return 0.15 + 0.4 * ownShare(at);
  if (othersHoldThePart(at)) return 0.2 + 0.4 * ownShare(at);
  if (cardIsFullOfOwn(at)) return 0.76;
  // A program that needs next to nothing met a card that was taken before.
  if (family(at, 'JAX') && at.it.details['totalNeededBytes'] !== undefined)
    return (numberDetail(at.it, 'totalNeededBytes') ?? 0) < GiB ? 0.3 : 0.75;
  if (hasCardNumbers(at)) return ownShare(at) > 0.5 ? 0.6 : 0.4;
  if (at.it.quantities.tried !== null) return 0.5;
  return told(at, 'head-only', 'prose', 'error-out-of-memory', 'cudaMallocAsync-truncated') ||
    family(at, 'P0', 'TF-tensor', 'ggml', 'XPU-UR')
    ? 0.42
    : 0.25;
}

function mpsIsFull(at: CaseInLog): boolean {
  const { allocatedBytes, allowedBytes } = at.it.facts;
  return allocatedBytes !== null && allowedBytes !== null && allocatedBytes > 0.5 * allowedBytes;
}
