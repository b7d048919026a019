import type { Mlp } from '../../../model/architecture';
import { gatedMlp } from '../../../model/feedForward';
import type { Fields } from '../../../model/fields';
import { constant } from './llamaBlock';

export const ungatedMlp = (fields: Fields, activation: string, bias: boolean): (() => Mlp) =>
  constant(gatedMlp(fields, { gated: false, bias, activation: fields.text('hidden_act', activation) }));
