import type { ReadArchitecture } from '../../model/decoderClasses';
import type { ConfigFields } from '../../model/configFields';
import type { ModelClass } from '../../model/modelClass';
import { bertLike } from '../bert/config';

/** RoBERTa: its table of positions registered last. */
export function readRoberta(fields: ConfigFields, modelClass: ModelClass): ReadArchitecture {
  return bertLike(fields, modelClass, {
    family: 'roberta',
    base: 'roberta',
    positionsLast: true,
    heads: 'roberta',
    hasPooler: true,
  });
}

/** XLM-RoBERTa and CamemBERT: RoBERTa, with the language model head registered before the base model. */
export function readXlmRoberta(fields: ConfigFields, modelClass: ModelClass): ReadArchitecture {
  return bertLike(fields, modelClass, {
    family: 'roberta',
    base: 'roberta',
    positionsLast: true,
    heads: 'roberta-head-first',
    hasPooler: true,
  });
}
