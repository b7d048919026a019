/** The moments of a run at which its log is marked, so that it can be cut into steps and phases. */

/** What a step does, in order; each phase ends with a mark. A step of several micro-batches has its first two as often. */
export const phaseNames = ['forward', 'backward', 'clip', 'optimizer', 'zero_grad'] as const;

export type Phase = (typeof phaseNames)[number];

/** The end of a phase of a step, counted from 1, or of what comes before the first: building the model, making the batch. */
export type Moment =
  { readonly end: 'build' | 'data'; readonly step: null } | { readonly end: Phase; readonly step: number };

/** The model is on the card. */
export const modelBuilt: Moment = { end: 'build', step: null };
/** So is the batch. */
export const batchLoaded: Moment = { end: 'data', step: null };

/** The end of a phase of a step, which is counted from 1. */
export const endOf = (phase: Phase, step: number): Moment => ({ end: phase, step });

/** Whether both name the same moment. */
export const isSameMoment = (one: Moment, other: Moment): boolean =>
  one.end === other.end && one.step === other.step;

/** The phase that ends with a mark; null before the first step. */
export const phaseOfMoment = (moment: Moment): Phase | null => (moment.step === null ? null : moment.end);
