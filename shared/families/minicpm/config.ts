import type { Backbone } from '../../model/backbone';
import type { ConfigFields } from '../../model/configFields';
import { nearestDecoder } from '../unlisted/nearestDecoder';

/** MiniCPM, dense or with experts as wide as its MLP: llama's block, scaled embeddings and a tied head. */
export function readMiniCpm(fields: ConfigFields): Backbone {
  const scale = fields.number('scale_emb', 12);
  const backbone = nearestDecoder(fields);
  const { inputs } = backbone.stack;
  return {
    ...backbone,
    family: 'minicpm',
    stack: inputs.kind === 'tokens' ? { ...backbone.stack, inputs: { ...inputs, scale } } : backbone.stack,
    head: { ...backbone.head, tied: fields.flag('tie_word_embeddings', true) },
  };
}
