/** How a question's training is spread, as one process (or card) of it sees it. */
import type { Architecture } from '../model/architecture';
import { stagesOf, tiedHeadPath } from '../model/stages';
import type { EstimateRequest } from './configuration';
import type { PipelinePlace, Spread } from './training/distribution';
import { microBatchesInFlight } from './training/pipeline/schedule';

/** Sizes of the cards of a pipeline's stages, by which its layers are divided; all equal where they are not given one by one. */
export function stageShares({ cardMib, world }: EstimateRequest): readonly number[] {
  return cardMib.length === world ? cardMib : new Array<number>(world).fill(1);
}

/** The spread of a rank. Throws for a pipeline that the model cannot be cut for, which `checkRequest` refuses. */
export function spreadOf(architecture: Architecture, request: EstimateRequest, rank: number): Spread {
  const { offload, strategy, world } = request;
  return { strategy, world, offload, rank, pipeline: placeOf(architecture, request, rank) };
}

function placeOf(architecture: Architecture, request: EstimateRequest, rank: number): PipelinePlace | null {
  if (request.strategy !== 'pipeline') return null;
  const { schedule, training } = request;
  const stage = stagesOf(architecture, stageShares(request))?.[rank];
  if (stage === undefined) throw new Error('The model cannot be cut into these stages.');
  return {
    stage,
    inFlight: microBatchesInFlight(schedule, stage, training.accumulation),
    oneProcess: schedule === 'sequential',
    headOnFirst: schedule === 'sequential' && request.world > 1 ? tiedHeadPath(architecture) : null,
  };
}
