/** How much of an image or a recording a sample has. */
import type { Inputs } from '../model/architecture';

type InputsOf<Kind extends Inputs['kind']> = Extract<Inputs, { readonly kind: Kind }>;

/**
 * Patches or frames that stand for those that a configuration leaves open (images of any size, sound of any length). Only models that
 * are played by their facts get it, as the families' own code needs the number; answers say it (`assumptions.ts`).
 */
export const assumedLength = 1500;

/** Patches of a sample's image, without extra tokens. */
export const patchesOf = ({ patches }: InputsOf<'patches'>): number => patches ?? assumedLength;

/** Frames of a sample's sound, after the convolutions. */
export const framesOf = ({ frames }: InputsOf<'audio'>): number => frames ?? assumedLength;
