import type { FeedForward, Mixer } from '../../model/architecture';
import { attentionNode, llamaAttention, softmaxAttention } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import {
  expertMixture,
  expertsNode,
  gatedMlp,
  llamaMlp,
  mixtralExperts,
  mlpNode,
} from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { convolution, group, linear } from '../../model/nodes';
import { rmsNorm } from '../../model/norms';
import { ropePositions } from '../../model/positions';
import { headDim } from '../common/config/llamaAttention';
import { llamaBlock } from '../common/config/llamaBlock';

/** LFM2, dense or with experts: short convolutions in most layers, attention in `full_attn_idxs` or by `layer_types`. */
export function readLfm2(fields: ConfigFields): Backbone {
  const hidden = fields.size('hidden_size');
  const types = fields.names('layer_types');
  const indexes = fields.wholes('full_attn_idxs');
  const isFull = (index: number): boolean =>
    types === null ? indexes === null || indexes.includes(index) : types[index] === 'full_attention';
  const attention = softmaxAttention(fields, hidden, { queryKeyNorm: { over: 'head', norm: rmsNorm } });
  const width = fields.sizeOr('conv_L_cache', 3);
  const bias = fields.flag('conv_bias', false);
  const shortConvolution = group('conv', [
    convolution('conv', 1, hidden, [width], bias),
    linear('in_proj', hidden, 3 * hidden, bias),
    linear('out_proj', hidden, hidden, bias),
  ]);
  const experts = fields.count('num_experts', 0);
  const denseLayers = fields.count('num_dense_layers', 2);
  const mlp = gatedMlp(fields, { width: experts > 0 ? fields.size('intermediate_size') : lfm2Width(fields) });
  const moe = experts > 0 ? expertMixture(fields, { routerScore: 'sigmoid' }) : null;
  const names = { ...llamaMlp, module: 'feed_forward', gate: 'w1', up: 'w3', down: 'w2' };
  return llamaBlock(fields, {
    family: 'lfm2',
    norms: ['operator_norm', 'ffn_norm'],
    mixer: (index): Mixer => (isFull(index) ? attention : { kind: 'other', name: 'short-convolution' }),
    feedForward: (index): FeedForward => (moe === null || index < denseLayers ? mlp : moe),
    positions: ropePositions(fields, headDim(fields)),
    ownNode: (part, size) => {
      switch (part.kind) {
        case 'attention':
          return attentionNode(part, size, {
            ...llamaAttention,
            output: 'out_proj',
            queryNorm: 'q_layernorm',
            keyNorm: 'k_layernorm',
          });
        case 'mlp':
          return mlpNode(part, size, names);
        case 'experts':
          return expertsNode(part, size, {
            ...mixtralExperts,
            module: 'feed_forward',
            correction: fields.flag('use_expert_bias', true) ? 'block-buffer' : 'none',
          });
        case 'other':
          return shortConvolution;
        default:
          return null;
      }
    },
    head: { tied: fields.flag('tie_embedding', true) },
    finalNorm: 'embedding_norm',
  });
}

/** Two thirds of the width in the file, times a factor, rounded up to a multiple, unless that is switched off. */
function lfm2Width(fields: ConfigFields): number {
  const width = fields.optionalSize('block_ff_dim') ?? fields.size('intermediate_size');
  if (!fields.flag('block_auto_adjust_ff_dim', true)) return width;
  const multiple = fields.sizeOr('block_multiple_of', 256);
  const scaled = Math.floor(fields.number('block_ffn_dim_multiplier', 1) * Math.floor((2 * width) / 3));
  return Math.max(1, Math.ceil(scaled / multiple)) * multiple;
}
