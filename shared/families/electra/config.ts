import type { ReadArchitecture } from '../../model/decoderClasses';
import type { Fields } from '../../model/fields';
import type { ModelClass } from '../../model/modelClass';
import { bertLike } from '../bert/config';

/** ELECTRA: tables may be narrower than the layers; no pooler. */
export function electra(fields: Fields, modelClass: ModelClass): ReadArchitecture {
  return bertLike(fields, modelClass, {
    family: 'electra',
    base: 'electra',
    positionsLast: false,
    heads: 'electra',
    hasPooler: false,
  });
}
