/** One training configuration, one answer: what each card will hold, and when in the step. */
import { message, type Message } from '../i18n/message';
import type { Architecture } from '../model/architecture';
import { parameterCount } from '../model/inventory';
import { assumptionsOf, isMeasured } from './assumptions';
import { type CardEstimate, contextBytes, estimateCards, limitBytes } from './cardEstimate';
import { H200 } from './cards';
import { checkRequest, warningsOf } from './check';
import type { EstimateRequest, TrainingSettings } from './configuration';
import { forwardFor } from './families/registry';
import { isTied } from '../model/stages';
import { hostBytes } from './hostMemory';
import { largestMicroBatch } from './largestMicroBatch';
import { simulate, type Simulation } from './simulation';
import { spreadOf } from './spread';
import { adapterElements, adapterPlans } from './training/adapterPlan';

export type { CardEstimate } from './cardEstimate';

/** A pebibyte: no machine has it, and beyond it sizes soon leave what numbers can count exactly. */
const MOST_BYTES = 2 ** 50;

export interface Estimate {
  readonly parameters: number;
  readonly trainableParameters: number;
  readonly cards: readonly CardEstimate[];
  /** Memory of the machine that offloading and paged optimizers take, for all processes together; 0 without them. */
  readonly hostBytes: number;
  /**
   * The largest micro-batch that completes steps on the given cards where sizes are tried from 1 up in one process, which leaves optimizer
   * state and workspaces close together; null without cards. A process that begins with it lays them between its activations and may
   * fail by a little, which is what its own verdict says.
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
 * `wantsLargest`: false saves the plays that look for the largest micro-batch, which then is null.
 */
export function estimate(
  architecture: Architecture,
  request: EstimateRequest,
  wantsLargest = true,
): EstimateAnswer {
  const refusal = checkRequest(architecture, request);
  if (refusal !== null) return { kind: 'refused', reason: refusal };
  const { forward: family, isTraced, ownCode } = forwardFor(architecture);
  const card = request.card ?? H200;
  const { training } = request;
  const play = (rank: number, microBatch: number): Simulation =>
    simulate(architecture, family, { ...training, microBatch }, card, spreadOf(architecture, request, rank));
  const played = new Map<number, Simulation>();
  /** Ranks that do the same share a play. */
  const simulationOf = (rank: number): Simulation => {
    const alike = rankAlike(request, rank);
    const known = played.get(alike) ?? play(alike, training.microBatch);
    played.set(alike, known);
    return known;
  };
  const simulation = simulationOf(0);
  if (training.checkpointing.kind === 'selective' && !simulation.recomputedAttention)
    return {
      kind: 'refused',
      reason: message('memory.selectiveNotModelled', { family: architecture.family }),
    };
  for (let rank = 0; rank < request.world; rank++) {
    const bytes = simulationOf(rank).log.mostLiveBytes;
    if (bytes > MOST_BYTES) return { kind: 'refused', reason: message('memory.beyondAnyMachine', { bytes }) };
  }
  const measured = isTraced && !isNearest(architecture) && isMeasured(request);
  const contextOf = (rank: number): number => {
    const { usesCudnn } = simulationOf(rank);
    return contextBytes(card, request, { usesCudnn, rank, isTied: isTied(architecture) });
  };
  return {
    kind: 'estimate',
    estimate: {
      ...parameterCounts(architecture, training),
      cards: estimateCards(simulationOf, request, {
        card,
        isTied: isTied(architecture),
        contextOf,
        measured,
      }),
      hostBytes: hostBytes(architecture, request),
      maxMicroBatch: wantsLargest ? largestOnCards(play, simulationOf, request, contextOf) : null,
      assumptions: [
        ...assumptionsOf(architecture, request, card),
        ...followedCode(architecture, ownCode, isTraced),
      ],
      warnings: [...architecture.warnings, ...warningsOf(architecture, request)],
      measured,
    },
  };
}

/** True where the reader took the model for the nearest one that it knows, which is not the one that was measured. */
const isNearest = ({ warnings }: Architecture): boolean =>
  warnings.some(({ key }) => key.startsWith('model.nearest') || key === 'model.textOnly');

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

/**
 * The first rank that does what a rank does: DataParallel's first card does more than the others, every stage of a pipeline something
 * of its own, and in all other strategies every process does the same.
 */
export function rankAlike({ strategy }: EstimateRequest, rank: number): number {
  if (strategy === 'pipeline') return rank;
  return strategy === 'dp' ? Math.min(rank, 1) : 0;
}

/** Each rank is searched under what its card leaves, no higher than the ranks before it reach. */
function largestOnCards(
  play: (rank: number, microBatch: number) => Simulation,
  simulationOf: (rank: number) => Simulation,
  request: EstimateRequest,
  contextOf: (rank: number) => number,
): number | null {
  const { expandableSegments, training } = request;
  let largest: number | null = null;
  for (const { limitBytes, rank } of tightestRanks(request, contextOf)) {
    const settings = { expandableSegments, limitBytes, addressOrder: 'falling' } as const;
    const playRank = (microBatch: number): Simulation =>
      microBatch === training.microBatch ? simulationOf(rank) : play(rank, microBatch);
    largest = largestMicroBatch(playRank, settings, training.microBatch, largest);
    if (largest === 0) break;
  }
  return largest;
}

/** Of the ranks that do the same the one with the least memory; none where no card is given. */
function tightestRanks(
  request: EstimateRequest,
  contextOf: (rank: number) => number,
): readonly { readonly rank: number; readonly limitBytes: number }[] {
  const tightest = new Map<number, number>();
  for (let rank = 0; rank < request.world; rank++) {
    const limit = limitBytes(request, rank, contextOf(rank));
    if (limit === null) continue;
    const alike = rankAlike(request, rank);
    tightest.set(alike, Math.min(limit, tightest.get(alike) ?? limit));
  }
  return [...tightest].map(([rank, limit]) => ({ rank, limitBytes: limit }));
}
