import type { PlanSettings } from '../launch/savedPlan';

/** The settings that a plan's folder remembers, under the names that a request of the memory engine has for them. */
export function requestOfSettings(settings: PlanSettings): Readonly<Record<string, unknown>> {
  const { accumulationSteps, sequence, ...same } = settings;
  return { ...same, accumulation: accumulationSteps, seq: sequence };
}
