import type { Backbone } from '../../model/backbone';
import { gatedMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { biasFlag, windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';

/** Granite: llama with constants on embeddings and logits. */
export function readGranite(fields: ConfigFields): Backbone {
  return llamaBlock(fields, {
    family: 'granite',
    mixer: windowed(fields, { bias: biasFlag(fields, 'attention_bias') }, constant(null)),
    feedForward: constant(gatedMlp(fields, { bias: fields.flag('mlp_bias', false) })),
    embeddingScale: fields.number('embedding_multiplier', 1),
    head: { scale: fields.number('logits_scaling', 1) },
  });
}
