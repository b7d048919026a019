import type { Mlp } from '../../model/architecture';
import { allBias, llamaAttention } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { gatedMlp, llamaMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { layerNorm } from '../../model/norms';
import { ropePositions } from '../../model/positions';
import { windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';

/** Phi-1, 1.5 and 2: one LayerNorm for attention and MLP, which run side by side; biases everywhere, also on the head. */
export function readPhi(fields: ConfigFields): Backbone {
  const dim = Math.max(1, Math.floor(fields.size('hidden_size') / fields.size('num_attention_heads')));
  return llamaBlock(fields, {
    family: 'phi',
    norm: layerNorm,
    placement: 'parallel',
    norms: ['input_layernorm'],
    mixer: windowed(
      fields,
      {
        headDim: dim,
        bias: allBias,
        queryKeyNorm: fields.flag('qk_layernorm', false) ? { over: 'head', norm: layerNorm } : null,
      },
      constant(null),
    ),
    feedForward: constant(phiMlp(fields)),
    attention: { ...llamaAttention, output: 'dense', queryNorm: 'q_layernorm', keyNorm: 'k_layernorm' },
    mlp: { ...llamaMlp, up: 'fc1', down: 'fc2' },
    positions: ropePositions(fields, dim, { share: 0.5 }),
    dropout: { embedding: fields.number('embd_pdrop', 0), residual: fields.number('resid_pdrop', 0) },
    head: { bias: true },
    finalNorm: 'final_layernorm',
  });
}

/** Files of the first published code leave the width null: four times the hidden size. */
function phiMlp(fields: ConfigFields): Mlp {
  const isFirst = fields.text('model_type', 'phi') === 'phi-msft';
  const width = isFirst
    ? fields.sizeOr('intermediate_size', 4 * fields.size('hidden_size'))
    : fields.size('intermediate_size');
  return gatedMlp(fields, {
    gated: false,
    bias: true,
    width,
    activation: fields.text('hidden_act', 'gelu_new'),
  });
}
