/** One training configuration, one answer: what each card will hold, and when in the step. */
import { message, type Message } from '../i18n/message';
import type { Architecture } from '../model/architecture';
import { parameterCount } from '../model/inventory';
import { assumptionsOf } from './assumptions';
import { type CardEstimate, estimateCards } from './cardEstimate';
import { checkRequest, warningsOf } from './check';
import type { EstimateRequest, TrainingSettings } from './configuration';
import { forwardFor } from './chooseForward';
import { isTied } from '../model/stages';
import { type Evidence, evidenceOf } from './evidence';
import { hostBytes } from './hostMemory';
import { largestOnCards, startWarnings } from './largestOnCards';
import { playsOf } from './plays';
import { adapterElements, adapterPlans } from './training/adapterPlan';

export type { CardEstimate } from './cardEstimate';

/** A pebibyte: no machine has it, and beyond it sizes soon leave what numbers can count exactly. */
const mostBytes = 2 ** 50;

export interface Estimate {
  readonly parameters: number;
  readonly trainableParameters: number;
  readonly cards: readonly CardEstimate[];
  /** Memory of the machine that offloading and paged optimizers take, for all processes together; 0 without them. */
  readonly hostBytes: number;
  /**
   * The largest micro-batch that completes steps on the given cards where sizes are tried from 1 up in one process, which leaves optimizer
   * state and workspaces close together; null without cards. A process that begins with it lays them between its activations and may
   * run out of memory, which is what its own verdict says and a warning, with the largest for a start.
   */
  readonly maxMicroBatch: number | null;
  readonly assumptions: readonly Message[];
  readonly warnings: readonly Message[];
  /** False where the numbers rest on documents and not on measured runs. */
  readonly measured: boolean;
}

export type EstimateAnswer =
  | { readonly kind: 'estimate'; readonly estimate: Estimate }
  | { readonly kind: 'refused'; readonly reason: Message };

/**
 * Plays the configuration. Refuses, with the reason, what contradicts itself or is not modelled; never throws on input.
 * `wantsLargest`: false saves the plays that look for the largest micro-batch, which then is null; verdicts are then those of a process
 * that begins with its micro-batch, as a training does. With it they are those of the search, too, so that both say the same.
 */
export function estimate(
  architecture: Architecture,
  request: EstimateRequest,
  wantsLargest = true,
): EstimateAnswer {
  const refusal = checkRequest(architecture, request);
  if (refusal !== null) return { kind: 'refused', reason: refusal };
  const { forward: family, isTraced, ownCode } = forwardFor(architecture);
  const plays = playsOf(architecture, family, request);
  const { card, contextOf, simulationOf, simulationWith } = plays;
  const simulation = simulationOf(0);
  if (request.training.checkpointing.kind === 'selective' && !simulation.recomputedAttention)
    return {
      kind: 'refused',
      reason: message('memory.selectiveNotModelled', { family: architecture.family }),
    };
  for (let rank = 0; rank < request.world; rank++) {
    const bytes = simulationOf(rank).log.mostLiveBytes;
    if (bytes > mostBytes) return { kind: 'refused', reason: message('memory.beyondAnyMachine', { bytes }) };
  }
  const evidence = evidenceOf(architecture, request, card);
  const largest = wantsLargest ? largestOnCards(plays, request) : null;
  const cards = estimateCards(simulationOf, request, {
    card,
    isTied: isTied(architecture),
    contextOf,
    evidence,
    smallestOf: wantsLargest ? (rank) => simulationWith(rank, 1) : null,
  });
  return {
    kind: 'estimate',
    estimate: {
      ...parameterCounts(architecture, request.training),
      cards,
      hostBytes: hostBytes(architecture, request),
      maxMicroBatch: largest === null ? null : agreeingLargest(largest.grown, cards, request.training),
      assumptions: [
        ...assumptionsOf(architecture, request, card),
        ...followedCode(architecture, ownCode, isTraced),
        ...restsOn(evidence),
      ],
      warnings: [...architecture.warnings, ...warningsOf(architecture, request), ...startWarnings(largest)],
      measured: evidence.kind === 'measured',
    },
  };
}

/**
 * The largest micro-batch as the verdicts have it. A search that halves takes it that whatever is smaller than what fits does so, too,
 * which the allocator now and then breaks by a step: where the asked one was played itself, that play counts.
 */
function agreeingLargest(
  found: number,
  cards: readonly CardEstimate[],
  { microBatch }: TrainingSettings,
): number {
  const completes = cards.every(({ verdict }) => verdict !== 'no');
  return completes ? Math.max(found, microBatch) : Math.min(found, microBatch - 1);
}

/** The sentence on what the interval rests on where no run was measured. */
function restsOn(evidence: Evidence): readonly Message[] {
  if (evidence.kind !== 'published') return [];
  const { above, below, figures, sources } = evidence.residuals;
  return [message('memory.assumePublished', { above, below, figures, sources })];
}

/** What an answer says where the family's own code is not known, or no step of it was recorded. */
function followedCode(
  { className, family }: Architecture,
  ownCode: boolean,
  isTraced: boolean,
): readonly Message[] {
  if (!ownCode) return [message('memory.assumeNearestBlock', { className, family })];
  return isTraced ? [] : [message('memory.assumeUntraced', { className })];
}

function parameterCounts(
  architecture: Architecture,
  { method }: TrainingSettings,
): { readonly parameters: number; readonly trainableParameters: number } {
  const base = parameterCount(architecture);
  if (method.kind === 'full') return { parameters: base, trainableParameters: base };
  const { rank, targets } = method.adapters;
  const added = adapterElements(adapterPlans(architecture, rank, targets));
  return { parameters: base + added, trainableParameters: added };
}
