/** One training configuration, one answer: what each card will hold, and when in the step. */
import { message, type Message } from '../i18n/message';
import type { Architecture } from '../model/architecture';
import { parameterCount } from '../model/inventory';
import { type Card, H200 } from './cards';
import { checkRequest, warningsOf } from './check';
import type { EstimateRequest, TrainingSettings } from './configuration';
import { forwardOf } from './families/registry';
import { type ByteInterval, processInterval } from './interval';
import { largestMicroBatch } from './largestMicroBatch';
import { type MemorySummary, simulate, type Simulation, summarise } from './simulation';
import type { BytesByKind, TimelinePoint } from './timeline';
import { adapterElements, adapterPlans } from './training/adapterPlan';
import type { Phase } from './training/run';

const MIB = 2 ** 20;
const TIMELINE_POINTS = 400;

/** `fits`: the interval's high end is within the card; `tight`: only the expected value is; null: no card is given. */
export type Verdict = 'fits' | 'tight' | 'no' | null;

export interface CardEstimate {
  readonly rank: number;
  readonly allocatedPeakBytes: number;
  readonly reservedPeakBytes: number;
  readonly contextBytes: number;
  readonly processBytes: number;
  readonly interval: ByteInterval;
  readonly peak: { readonly phase: Phase; readonly at: string; readonly byKind: BytesByKind };
  readonly timeline: readonly TimelinePoint[];
  readonly cardBytes: number | null;
  readonly verdict: Verdict;
}

export interface Estimate {
  readonly parameters: number;
  readonly trainableParameters: number;
  readonly cards: readonly CardEstimate[];
  /** Memory of the machine that offloading takes; 0 without it. */
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

/** Plays the configuration. Refuses, with the reason, what contradicts itself or is not modelled; never throws on input. */
export function estimate(architecture: Architecture, request: EstimateRequest): EstimateAnswer {
  const refusal = checkRequest(architecture, request);
  if (refusal !== null) return { kind: 'refused', reason: refusal };
  const family = forwardOf(architecture.family);
  if (family === null)
    return { kind: 'refused', reason: message('memory.familyNotModelled', { family: architecture.family }) };
  if (request.strategy !== 'single')
    return { kind: 'refused', reason: message('memory.strategyNotModelled', { strategy: request.strategy }) };
  const card = request.card ?? H200;
  const play = (microBatch: number): Simulation =>
    simulate(architecture, family, { ...request.training, microBatch }, card);
  const simulation = play(request.training.microBatch);
  const contextBytes = contextOf(card, request, simulation);
  const measured = isMeasured(request.training);
  return {
    kind: 'estimate',
    estimate: {
      ...parameterCounts(architecture, request.training),
      cards: [rankEstimate(0, simulation, request, { card, contextBytes, measured })],
      hostBytes: 0,
      maxMicroBatch: largestOnCards(play, request, contextBytes),
      assumptions: assumptionsOf(request, card),
      warnings: [...architecture.warnings, ...warningsOf(architecture, request.training)],
      measured,
    },
  };
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

function contextOf(card: Card, request: EstimateRequest, simulation: Simulation): number {
  if (request.contextMib !== null) return request.contextMib * MIB;
  return card.context.base + (simulation.usesCudnn ? card.context.cudnn : 0);
}

interface CardFacts {
  readonly card: Card;
  readonly contextBytes: number;
  readonly measured: boolean;
}

/**
 * One rank's answer. On a card of known size PyTorch gives cached memory back before it fails, so a run that would reserve more
 * than the card has may still complete: it is then played under that limit.
 */
function rankEstimate(
  rank: number,
  simulation: Simulation,
  request: EstimateRequest,
  facts: CardFacts,
): CardEstimate {
  const { expandableSegments } = request;
  const { card, contextBytes, measured } = facts;
  const points = request.timeline ? TIMELINE_POINTS : 0;
  const cardBytes = cardBytesOf(request, rank);
  const settings = { expandableSegments, addressOrder: 'falling', limitBytes: null } as const;
  const free = summarised(simulation, settings, points);
  const rising = expandableSegments
    ? free
    : summarised(simulation, { ...settings, addressOrder: 'rising' }, 0);
  const interval = processInterval({
    reservedBytes: [free.reservedPeakBytes, rising.reservedPeakBytes],
    contextBytes,
    contextKnown: card.measured || request.contextMib !== null,
    measured,
  });
  const tooLarge = cardBytes !== null && free.reservedPeakBytes + contextBytes > cardBytes;
  const limited = tooLarge
    ? summarise(simulation, { ...settings, limitBytes: cardBytes - contextBytes }, points)
    : free;
  const summary = limited ?? free;
  return {
    rank,
    allocatedPeakBytes: summary.allocatedPeakBytes,
    reservedPeakBytes: summary.reservedPeakBytes,
    contextBytes,
    processBytes: summary.reservedPeakBytes + contextBytes,
    interval,
    peak: summary.peak,
    timeline: summary.timeline,
    cardBytes,
    verdict: verdictOf(cardBytes, interval, limited !== null),
  };
}

function summarised(...parameters: Parameters<typeof summarise>): MemorySummary {
  const summary = summarise(...parameters);
  if (summary === null) throw new Error('A run without a limit completes.');
  return summary;
}

function verdictOf(cardBytes: number | null, interval: ByteInterval, completed: boolean): Verdict {
  if (cardBytes === null) return null;
  if (interval.highBytes <= cardBytes) return 'fits';
  return completed ? 'tight' : 'no';
}

function cardBytesOf({ cardMib }: EstimateRequest, rank: number): number | null {
  const mib = cardMib.length === 1 ? cardMib[0] : cardMib[rank];
  return mib === undefined ? null : mib * MIB;
}

function largestOnCards(
  play: (microBatch: number) => Simulation,
  { cardMib, expandableSegments }: EstimateRequest,
  contextBytes: number,
): number | null {
  if (cardMib.length === 0) return null;
  const limitBytes = Math.min(...cardMib) * MIB - contextBytes;
  return largestMicroBatch(play, { expandableSegments, limitBytes, addressOrder: 'falling' });
}

/** True where measured rows cover the method, the optimizer and the checkpointing. */
function isMeasured({ method, checkpointing, optimizer }: TrainingSettings): boolean {
  const optimizers = ['adamw', 'adamw-fused', 'adamw-loop', 'sgd', 'sgd-momentum', 'adafactor'];
  return (
    method.kind !== 'qlora' &&
    (checkpointing.kind === 'none' || checkpointing.kind === 'full') &&
    optimizers.includes(optimizer)
  );
}

function assumptionsOf({ card: asked, contextMib }: EstimateRequest, card: Card): readonly Message[] {
  const assumptions = [message('memory.assumeStack')];
  if (asked === null) assumptions.push(message('memory.assumeCard', { card: card.name }));
  else if (!card.measured) assumptions.push(message('memory.assumeCardValues', { card: card.name }));
  if (contextMib === null && !card.measured)
    assumptions.push(message('memory.assumeContext', { card: card.name }));
  return assumptions;
}
