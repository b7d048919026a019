import type { ReadArchitecture } from '../../model/decoderClasses';
import type { ConfigFields } from '../../model/configFields';
import type { ModelClass } from '../../model/modelClass';
import { bertLike } from '../bert/config';

/** ELECTRA: tables may be narrower than the layers; no pooler. */
export function readElectra(fields: ConfigFields, modelClass: ModelClass): ReadArchitecture {
  return bertLike(fields, modelClass, {
    family: 'electra',
    base: 'electra',
    positionsLast: false,
    heads: 'electra',
    hasPooler: false,
  });
}
