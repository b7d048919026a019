/** What each rank of a request does, played once for all ranks that do the same. */
import type { Architecture } from '../model/architecture';
import { isTied } from '../model/stages';
import { contextBytes } from './cardEstimate';
import { type GpuModel, H200 } from '../gpu/models';
import type { EstimateRequest } from './configuration';
import type { FamilyForward } from '../families/forward';
import { simulate, type StepSimulation } from './simulation';
import { spreadOf } from './spread';

export interface Plays {
  readonly card: GpuModel;
  /** A rank as the request has it. */
  readonly simulationOf: (rank: number) => StepSimulation;
  /** A rank with another micro-batch. */
  readonly simulationWith: (rank: number, microBatch: number) => StepSimulation;
  /** Bytes of the rank's process outside of the allocator. */
  readonly contextOf: (rank: number) => number;
}

/** Plays of a request that was checked; each is made when it is first asked for. */
export function playsOf(architecture: Architecture, family: FamilyForward, request: EstimateRequest): Plays {
  const { training } = request;
  const card = request.card ?? H200;
  const played = new Map<string, StepSimulation>();
  const simulationWith = (rank: number, microBatch: number): StepSimulation => {
    const alike = rankAlike(request, rank);
    const key = `${alike} ${microBatch}`;
    const known =
      played.get(key) ??
      simulate(
        architecture,
        family,
        { ...training, microBatch },
        card,
        spreadOf(architecture, request, alike),
      );
    played.set(key, known);
    return known;
  };
  const simulationOf = (rank: number): StepSimulation => simulationWith(rank, training.microBatch);
  const contextOf = (rank: number): number => {
    const { usesCudnn } = simulationOf(rank);
    return contextBytes(card, request, { usesCudnn, rank, isTied: isTied(architecture) });
  };
  return { card, simulationOf, simulationWith, contextOf };
}

/**
 * The first rank that does what a rank does: DataParallel's first card does more than the others, every stage of a pipeline something
 * of its own, and in all other strategies every process does the same.
 */
export function rankAlike({ strategy }: EstimateRequest, rank: number): number {
  if (strategy === 'pipeline') return rank;
  return strategy === 'dp' ? Math.min(rank, 1) : 0;
}
