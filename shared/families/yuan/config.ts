import type { FeedForward, Mixer } from '../../model/architecture';
import { softmaxAttention } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { gatedMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { convolution, group, linear, norm } from '../../model/nodes';
import { rmsNorm } from '../../model/norms';
import { ropePositions } from '../../model/positions';
import { constant, llamaBlock } from '../common/config/llamaBlock';

/** Yuan 2: query and key from one product, over a gate of two convolutions along the sequence. */
export function readYuan(fields: ConfigFields): Backbone {
  const hidden = fields.size('hidden_size');
  const attention = softmaxAttention(fields, hidden);
  const width = attention.heads * attention.headDim;
  const half = Math.max(1, Math.floor(hidden / 2));
  const mlp = gatedMlp(fields);
  const filtered = group('self_attn', [
    linear('v_proj', hidden, width),
    linear('o_proj', width, hidden),
    group('lf_gate', [
      convolution('conv1', hidden, half, [2, 1]),
      convolution('conv2', half, hidden, [2, 1]),
      norm('output_layernorm', hidden, rmsNorm),
    ]),
    linear('q_proj', hidden, width),
    linear('k_proj', hidden, width),
  ]);
  return llamaBlock(fields, {
    family: 'yuan',
    mixer: constant<Mixer>({ kind: 'other', name: 'localized-filtering-attention' }),
    feedForward: constant<FeedForward>(mlp),
    positions: ropePositions(fields, attention.headDim),
    ownNode: (part) => (part.kind === 'other' ? filtered : null),
  });
}
