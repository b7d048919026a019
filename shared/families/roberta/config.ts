import type { ReadArchitecture } from '../../model/decoderClasses';
import type { Fields } from '../../model/fields';
import type { ModelClass } from '../../model/modelClass';
import { bertLike } from '../bert/config';

/** RoBERTa: its table of positions registered last. */
export function roberta(fields: Fields, modelClass: ModelClass): ReadArchitecture {
  return bertLike(fields, modelClass, {
    family: 'roberta',
    base: 'roberta',
    positionsLast: true,
    heads: 'roberta',
    hasPooler: true,
  });
}

/** XLM-RoBERTa and CamemBERT: RoBERTa, with the language model head registered before the base model. */
export function xlmRoberta(fields: Fields, modelClass: ModelClass): ReadArchitecture {
  return bertLike(fields, modelClass, {
    family: 'roberta',
    base: 'roberta',
    positionsLast: true,
    heads: 'roberta-head-first',
    hasPooler: true,
  });
}
