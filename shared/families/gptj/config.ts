import { type AttentionNames, attentionNode, softmaxAttention } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { llamaMlp, mlpNode } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { ordinaryParts } from '../../model/layers';
import { block, embedding, fp32Buffer, list, norm, withBuffers } from '../../model/nodes';
import { layerNorm } from '../../model/norms';
import { layerFacts, plainDecoder, plainMlp } from '../common/config/plainDecoder';
import { splitAttention } from '../common/config/splitAttention';

/** GPT-J and CodeGen: attention and MLP side by side after one norm, a head with bias. */
export function readGptJ(fields: ConfigFields): Backbone {
  const hiddenSize = fields.size('hidden_size');
  const fused = fields.text('model_type', '') === 'codegen';
  const attention = softmaxAttention(fields, hiddenSize, { projection: fused ? 'fused' : 'separate' });
  const rotaryDim = fields.sizeOr('rotary_dim', attention.headDim);
  const rows = fields.sizeOr('max_position_embeddings', 2048);
  const facts = layerFacts(attention, plainMlp(fields, 'gelu_new'), layerNorm, true, 1);
  const names = { ...splitAttention, module: 'attn' };
  const order: AttentionNames['order'] = fused ? ['fused', 'output'] : names.order;
  return plainDecoder(fields, {
    family: 'gptj',
    positions: { kind: 'rope', rotaryDim, interleaved: true },
    norm: layerNorm,
    layerOf: () => facts,
    blockOf: (layer, hidden) => {
      const { mlp } = ordinaryParts(layer);
      const inner = attentionNode(attention, hidden, { ...names, order });
      return block([
        norm('ln_1', hidden, layerNorm),
        withBuffers(inner, [fp32Buffer('embed_positions', rows, rotaryDim)]),
        mlpNode(mlp, hidden, { ...llamaMlp, up: 'fc_in', down: 'fc_out' }),
      ]);
    },
    children: (blocks, hidden, vocabulary) => [
      embedding('wte', vocabulary, hidden),
      list('h', blocks),
      norm('ln_f', hidden, layerNorm),
    ],
    tokenTable: 'wte',
    head: { bias: true },
    dropout: {
      embedding: fields.number('embd_pdrop', 0),
      residual: fields.number('resid_pdrop', 0),
    },
  });
}
