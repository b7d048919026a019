/** What of the page the tabs lead to: in a small window the list of plans, and the parts of the chosen plan. */
export type PlanPart = 'plans' | ChosenPart;
export type ChosenPart = 'step' | 'compare' | 'changes' | 'files' | 'runs';

/** The parts that there are, in the order of their tabs. */
export function partsOf(given: {
  /** The list of plans has no place of its own. */
  readonly withList: boolean;
  /** Another plan is to be seen beside the chosen one. */
  readonly comparing: boolean;
}): readonly PlanPart[] {
  return [
    ...(given.withList ? (['plans'] as const) : []),
    'step',
    ...(given.comparing ? (['compare'] as const) : []),
    'changes',
    'files',
    'runs',
  ];
}

/** The part that was asked for where there is one, else the first. */
export function shownPart(parts: readonly PlanPart[], wanted: PlanPart | null): PlanPart {
  return parts.find((part) => part === wanted) ?? parts[0] ?? 'step';
}
