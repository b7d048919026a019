/**
 * How far figures that other people published lie from what is expected for them, as shares: what intervals rest on where no measured run
 * covers the card or the model's code. Each source counts as one, a twentieth is left out at either end. Made by
 * `npm run accuracy -- residuals`, which also tells how often a row holds figures of a source that it was made without.
 */
import type { Scatter } from './interval';

export interface PublishedResiduals extends Scatter {
  readonly figures: number;
  readonly sources: number;
}

/** The stack as it was measured, on other cards. */
export const otherCardResiduals: PublishedResiduals = { below: 0.012, above: 0.008, figures: 4, sources: 1 };

/** Where the flags say what was run and the code is transformers', of other versions and on other cards. */
export const transformersResiduals: PublishedResiduals = {
  below: 0.056,
  above: 0.145,
  figures: 57,
  sources: 4,
};

/** Stacked experts under QLoRA, which earlier versions of transformers quantised. */
export const quantizedExpertsResiduals: PublishedResiduals = {
  below: 0.796,
  above: 0,
  figures: 6,
  sources: 1,
};

/** Other modelling code than that which is simulated. */
export const otherCodeResiduals: PublishedResiduals = {
  below: 0.478,
  above: 0.428,
  figures: 40,
  sources: 3,
};
