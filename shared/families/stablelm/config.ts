import { inputBias, llamaAttention, noBias } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import type { ConfigFields } from '../../model/configFields';
import { layerNorm, layerNormWithoutBias } from '../../model/norms';
import { ropePositions } from '../../model/positions';
import { headDim, windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';

/** StableLM and StableLM 2: LayerNorms, a quarter of each head rotated. */
export function readStablelm(fields: ConfigFields): Backbone {
  const parallel = fields.flag('use_parallel_residual', false);
  return llamaBlock(fields, {
    family: 'stablelm',
    norm: layerNorm,
    placement: parallel ? 'parallel' : 'pre',
    norms: parallel ? ['input_layernorm'] : ['input_layernorm', 'post_attention_layernorm'],
    mixer: windowed(
      fields,
      {
        bias: fields.flag('use_qkv_bias', false) ? inputBias : noBias,
        queryKeyNorm: fields.flag('qk_layernorm', false)
          ? { over: 'list', norm: layerNormWithoutBias }
          : null,
      },
      constant(null),
    ),
    attention: { ...llamaAttention, queryNorm: 'q_layernorm', keyNorm: 'k_layernorm' },
    positions: ropePositions(fields, headDim(fields), { share: 0.25 }),
    dropout: { embedding: 0, residual: fields.number('hidden_dropout', 0) },
  });
}
