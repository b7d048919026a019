import type { Mlp } from '../../../model/architecture';
import { gatedMlp } from '../../../model/feedForward';
import type { ConfigFields } from '../../../model/configFields';
import { constant } from './llamaBlock';

export const ungatedMlp = (fields: ConfigFields, activation: string, bias: boolean): (() => Mlp) =>
  constant(gatedMlp(fields, { gated: false, bias, activation: fields.text('hidden_act', activation) }));
