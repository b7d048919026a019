/** Rotary positions under all the names that files give them. */
import type { Positions } from './architecture';
import { isRecord, type ConfigFields } from './configFields';

/** What a family takes where the file is silent. */
export interface RopeDefaults {
  /** Share of each head that is rotated where the file does not say. */
  readonly share?: number;
  readonly interleaved?: boolean;
}

/**
 * The rotated part of a head of `headDim` elements: `partial_rotary_factor` (also `rope_pct`, `rotary_pct`, or inside
 * `rope_parameters`) times the head, or `rotary_dim` elements.
 */
export function ropePositions(fields: ConfigFields, headDim: number, defaults: RopeDefaults = {}): Positions {
  const parameters = ropeParameters(fields);
  const share =
    parameters?.number('partial_rotary_factor', null) ??
    fields.number('partial_rotary_factor', null) ??
    fields.number('rotary_pct', null) ??
    fields.number('rope_pct', null) ??
    defaults.share ??
    1;
  const rotaryDim = fields.optionalSize('rotary_dim') ?? Math.floor(headDim * share);
  return {
    kind: 'rope',
    rotaryDim,
    interleaved: defaults.interleaved ?? false,
  };
}

/** `rope_parameters` of one kind of attention, where it is given for each (Gemma 3, ModernBERT, OLMo 3). */
function ropeParameters(fields: ConfigFields): ConfigFields | null {
  const value = fields.find('rope_parameters')?.value;
  if (!isRecord(value)) return null;
  const parameters = fields.part('rope_parameters');
  return parameters?.part('full_attention') ?? parameters;
}
