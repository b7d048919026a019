import type { EstimateRequest } from '../../memory/configuration';

/** What tells plans of one answer apart. The micro-batch may still change while a draft is judged. */
export function keyOf(request: EstimateRequest): string {
  const { expandableSegments, offload, schedule, strategy, training, world } = request;
  const { attention, checkpointing, method, optimizer, precision } = training;
  return [
    ...[method.kind, strategy, schedule, world, offload, precision, optimizer],
    ...[JSON.stringify(checkpointing), attention, expandableSegments],
  ].join(' ');
}
