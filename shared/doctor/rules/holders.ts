import { message } from '../../i18n/message';
import { GiB, MiB } from '../../units';
import type { CaseInLog } from '../case';
import { outside, ownTensors, requestAndFree } from './evidence';
import {
  cardIsFullOfOwn,
  freeIsEnough,
  isWorkstationCard,
  othersHoldMuch,
  othersHoldThePart,
  ownShare,
  requestIsHuge,
} from './numbers';
import { family, has, numberDetail, told, type Rule } from './rule';

/** Somebody else holds the missing memory: research/oom.md, section 2, step 8. */
export const holderRules: readonly Rule[] = [
  {
    cause: 'other_process',
    when: othersHoldMuch,
    confidence: (at) => (at.it.quantities.outsideIsBound ? 0.55 : ownShare(at) < 0.5 ? 0.86 : 0.74),
    evidence: (at) => [...outside(at), ...ownTensors(at)],
  },
  {
    cause: 'other_process',
    when: (at) => othersHoldThePart(at) && !requestIsHuge(at),
    confidence: 0.5,
    evidence: (at) => [...outside(at), ...requestAndFree(at)],
  },
  {
    cause: 'other_process',
    when: (at) => !othersHoldMuch(at) && foreignBytes(at) >= Math.max(512 * MiB, at.it.quantities.tried ?? 0),
    confidence: 0.4,
    evidence: outside,
  },
  {
    cause: 'leftover_process',
    when: othersHoldMuch,
    confidence: (at) => (has(at, 'orphanWords') ? 0.7 : 0.35),
    evidence: outside,
  },
  {
    cause: 'sibling_process_same_job',
    when: (at) => othersHoldMuch(at) || (foreignBytes(at) > GiB && has(at, 'workerWords')),
    confidence: (at) => (has(at, 'workerWords') || at.it.rank !== null ? 0.55 : 0.25),
    evidence: outside,
  },
  {
    cause: 'all_ranks_on_gpu0',
    when: (at) => othersHoldMuch(at) && at.it.facts.gpuIndex === 0,
    confidence: (at) => {
      if (has(at, 'deserializeOnCardFrame')) return 0.88;
      if (ranksThatNameCard0(at) > 1) return 0.85;
      if (has(at, 'torchLoadFrame')) return 0.6;
      return ownShare(at) < 0.2 ? 0.3 : 0.15;
    },
    evidence: (at) => [
      ...(has(at, 'deserializeOnCardFrame', 'torchLoadFrame')
        ? [message('doctorEvidence.loadsOntoCard0')]
        : []),
      ...(ranksThatNameCard0(at) > 1
        ? [message('doctorEvidence.ranksOnCard0', { ranks: ranksThatNameCard0(at) })]
        : []),
      ...outside(at),
    ],
  },
  {
    cause: 'stray_context_gpu0',
    when: (at) => at.it.facts.gpuIndex === 0 && bareContexts(at) >= 2,
    confidence: 0.5,
    evidence: (at) => [message('doctorEvidence.bareContexts', { count: bareContexts(at) }), ...outside(at)],
  },
  {
    cause: 'desktop_holds_vram',
    when: (at) => isWorkstationCard(at) && !cardIsFullOfOwn(at) && !freeIsEnough(at) && desktopSizedShare(at),
    confidence: (at) => (has(at, 'desktopWords') ? 0.8 : isLargeShare(at) ? 0.5 : 0.3),
    evidence: outside,
  },
  {
    cause: 'desktop_holds_vram',
    when: (at) => {
      // cudaMallocAsync prints no reserve: allocated and request together are below the limit, and nothing is free.
      const { tried, capacity, free, allocated } = at.it.quantities;
      if (!told(at, 'cudaMallocAsync') || tried === null || capacity === null || allocated === null)
        return false;
      const left = capacity - allocated - tried;
      return isWorkstationCard(at) && free !== null && free < tried && left > 512 * MiB && left < 3.5 * GiB;
    },
    confidence: 0.5,
    evidence: outside,
  },
  {
    cause: 'ipc_mapping_holder',
    when: (at) => has(at, 'cacheServerWords') && (othersHoldMuch(at) || family(at, 'vllm-startup')),
    confidence: 0.72,
    evidence: (at) => [message('doctorEvidence.cacheServer'), ...outside(at)],
  },
  {
    cause: 'other_process',
    when: (at) => told(at, 'vllm-startup') && !isShortByLittle(at),
    confidence: 0.8,
    evidence: startupEvidence,
  },
  {
    cause: 'leftover_process',
    when: (at) => told(at, 'vllm-startup') && !isShortByLittle(at),
    confidence: (at) => (has(at, 'orphanWords') ? 0.75 : 0.45),
    evidence: startupEvidence,
  },
  {
    cause: 'context_overhead',
    when: (at) => told(at, 'vllm-startup') && isShortByLittle(at),
    confidence: 0.6,
    evidence: startupEvidence,
  },
  {
    cause: 'other_process',
    when: (at) => told(at, 'vllm-startup') && isShortByLittle(at),
    confidence: 0.5,
    evidence: startupEvidence,
  },
  {
    cause: 'other_process',
    when: (at) => firstTouch(at) && at.it.quantities.capacity === null,
    confidence: 0.62,
    evidence: () => [message('doctorEvidence.firstTouch')],
  },
  {
    cause: 'other_process',
    // JAX and TensorFlow take most of the card at the start: a small request that fails met a card already taken.
    when: (at) =>
      family(at, 'JAX', 'TF-') && at.it.quantities.tried !== null && at.it.quantities.tried < 64 * MiB,
    confidence: 0.55,
    evidence: (at) => [message('doctorEvidence.smallRequest', { tried: at.it.quantities.tried })],
  },
  {
    cause: 'leftover_process_unkillable',
    when: (at) =>
      told(at, 'ps-output') &&
      (has(at, 'kernelStackInDriver') || /^D/.test(String(at.it.details['state'] ?? ''))),
    confidence: 0.88,
    evidence: processEvidence,
  },
  {
    cause: 'leftover_process',
    when: (at) => told(at, 'ps-output') && /^Z/.test(String(at.it.details['state'] ?? '')),
    confidence: 0.75,
    evidence: processEvidence,
  },
];

function foreignBytes(at: CaseInLog): number {
  return at.it.quantities.foreign.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Listed processes that hold a CUDA context and nothing else. */
function bareContexts(at: CaseInLog): number {
  return at.it.quantities.foreign.filter(({ bytes }) => bytes > 0.2 * GiB && bytes < 0.8 * GiB).length;
}

function ranksThatNameCard0(at: CaseInLog): number {
  const ranks = at.log
    .filter((other) => other.facts.gpuIndex === 0 && other.rank !== null)
    .map((other) => other.rank);
  return new Set(ranks).size;
}

/** On a small card a desktop's share is much of it. */
function isLargeShare(at: CaseInLog): boolean {
  const { outside: held, capacity } = at.it.quantities;
  return held !== null && capacity !== null && held >= 0.15 * capacity && !othersHoldMuch(at);
}

function desktopSizedShare(at: CaseInLog): boolean {
  const { outside: held, outsideIsBound, tried } = at.it.quantities;
  return held !== null && !outsideIsBound && held >= GiB && held <= 3.5 * GiB && held >= (tried ?? 0);
}

/** The start-up check fell short by about a percent, and only a context's worth was in use. */
function isShortByLittle(at: CaseInLog): boolean {
  const { capacity, free } = at.it.quantities;
  const desired = numberDetail(at.it, 'desiredBytes');
  if (capacity === null || free === null || desired === null) return false;
  return desired - free < 0.015 * capacity && capacity - free < 2.6 * GiB;
}

function firstTouch(at: CaseInLog): boolean {
  return (
    family(at, 'CUDA-error', 'P0') &&
    has(at, 'firstTouchFrame', 'moveModelFrame') &&
    !has(at, 'pinFrame') &&
    at.it.progress?.phase !== 'training'
  );
}

function startupEvidence(at: CaseInLog) {
  const { free, capacity } = at.it.quantities;
  return [
    message('doctorEvidence.startup', { free, capacity, desired: numberDetail(at.it, 'desiredBytes') }),
    ...outside(at).slice(1),
  ];
}

function processEvidence(at: CaseInLog) {
  return [
    message('doctorEvidence.processState', {
      pid: String(at.it.details['pid'] ?? '?'),
      state: String(at.it.details['state'] ?? '?'),
    }),
    ...(has(at, 'kernelStackInDriver') ? [message('doctorEvidence.kernelStack')] : []),
  ];
}
