/** One training configuration, one answer: what each card will hold, and when in the step. */
import { message, type Message } from '../i18n/message';
import type { Architecture } from '../model/architecture';
import { parameterCount } from '../model/inventory';
import { assumptionsOf, isMeasured } from './assumptions';
import { type CardEstimate, contextBytes, estimateCards, smallestLimitBytes } from './cardEstimate';
import { H200 } from './cards';
import { checkRequest, warningsOf } from './check';
import type { EstimateRequest, TrainingSettings } from './configuration';
import { forwardFor } from './families/registry';
import { hostBytes } from './hostMemory';
import { largestMicroBatch } from './largestMicroBatch';
import { simulate, type Simulation } from './simulation';
import { adapterElements, adapterPlans } from './training/adapterPlan';

export type { CardEstimate, Verdict } from './cardEstimate';

export interface Estimate {
  readonly parameters: number;
  readonly trainableParameters: number;
  readonly cards: readonly CardEstimate[];
  /** Memory of the machine that offloading takes, for all processes together; 0 without it. */
  readonly hostBytes: number;
  /** The largest micro-batch that completes steps on the given cards; null without cards. */
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
  const { forward: family, ownCode } = forwardFor(architecture);
  const card = request.card ?? H200;
  const { strategy, training, world, offload } = request;
  const spread = { strategy, world, offload, rank: 0 };
  const simulation = simulate(architecture, family, training, card, spread);
  const play = (microBatch: number): Simulation =>
    microBatch === training.microBatch
      ? simulation
      : simulate(architecture, family, { ...training, microBatch }, card, spread);
  if (training.checkpointing.kind === 'selective' && !simulation.recomputedAttention)
    return {
      kind: 'refused',
      reason: message('memory.selectiveNotModelled', { family: architecture.family }),
    };
  // DataParallel's first card does more than the others; in all other strategies every process does the same.
  const others =
    strategy === 'dp' && world > 1
      ? simulate(architecture, family, training, card, { ...spread, rank: 1 })
      : simulation;
  const simulationOf = (rank: number): Simulation => (rank === 0 ? simulation : others);
  const measured = ownCode && isMeasured(request);
  const context = contextBytes(card, request, simulation);
  return {
    kind: 'estimate',
    estimate: {
      ...parameterCounts(architecture, training),
      cards: estimateCards(simulationOf, request, { card, contextBytes: context, measured }),
      hostBytes: hostBytes(architecture, request),
      maxMicroBatch: wantsLargest ? largestOnCards(play, request, context) : null,
      assumptions: [...assumptionsOf(architecture, request, card), ...nearestBlock(architecture, ownCode)],
      warnings: [...architecture.warnings, ...warningsOf(architecture, training)],
      measured,
    },
  };
}

/** What an answer says where the family's own code is not known. */
function nearestBlock({ className, family }: Architecture, ownCode: boolean): readonly Message[] {
  return ownCode ? [] : [message('memory.assumeNearestBlock', { className, family })];
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

function largestOnCards(
  play: (microBatch: number) => Simulation,
  request: EstimateRequest,
  context: number,
): number | null {
  const limitBytes = smallestLimitBytes(request, context);
  if (limitBytes === null) return null;
  const { expandableSegments, training } = request;
  const settings = { expandableSegments, limitBytes, addressOrder: 'falling' } as const;
  return largestMicroBatch(play, settings, training.microBatch);
}
