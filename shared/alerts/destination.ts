import type { Destination } from './places';
import type { Alert } from './snapshot';
import { ruleNamed } from './rules';

/** Where an alert leads: to its card and job, in the view where something can be done about it. */
export function alertDestination({ rule, gpuIndex, jobId }: Alert): Destination {
  return { place: ruleNamed(rule).view ?? 'workstation', gpuIndex, jobId };
}
