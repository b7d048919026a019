import { allBias, llamaAttention } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { llamaMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { layerNorm } from '../../model/norms';
import { ropePositions } from '../../model/positions';
import { headDim, windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';
import { ungatedMlp } from '../common/config/ungatedMlp';

/** Persimmon and Fuyu's language model: GPT-NeoX's names, each head's query and key normed, squared ReLU. */
export function readPersimmon(fields: ConfigFields): Backbone {
  return llamaBlock(fields, {
    family: 'persimmon',
    norm: layerNorm,
    mixer: windowed(
      fields,
      {
        bias: allBias,
        projection: 'fused',
        queryKeyNorm: fields.flag('qk_layernorm', true) ? { over: 'head', norm: layerNorm } : null,
      },
      constant(null),
    ),
    feedForward: ungatedMlp(fields, 'relu2', true),
    attention: {
      ...llamaAttention,
      fused: 'query_key_value',
      output: 'dense',
      queryNorm: 'q_layernorm',
      keyNorm: 'k_layernorm',
    },
    mlp: { ...llamaMlp, up: 'dense_h_to_4h', down: 'dense_4h_to_h' },
    positions: ropePositions(fields, headDim(fields), { share: 0.5 }),
    finalNorm: 'final_layernorm',
  });
}
