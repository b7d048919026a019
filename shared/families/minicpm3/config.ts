import { latentAttention } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { gatedMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { ropePositions } from '../../model/positions';
import { constant, llamaBlock } from '../common/config/llamaBlock';

/** Dense decoders with latent attention: MiniCPM3 and Youtu. */
export function readLatentDense(fields: ConfigFields): Backbone {
  const attention = latentAttention(fields);
  const scale = fields.number('scale_emb', null);
  return llamaBlock(fields, {
    family: 'latent_dense',
    mixer: constant(attention),
    feedForward: constant(gatedMlp(fields, { bias: fields.flag('mlp_bias', false) })),
    positions: ropePositions(fields, attention.rotaryHeadDim),
    embeddingScale: scale,
    embeddingScaleIsBuffer: scale !== null,
    head: { tied: true },
  });
}
