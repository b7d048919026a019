import { attentionNode } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { gatedMlp, mlpNode } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { norm } from '../../model/nodes';
import { rmsNorm } from '../../model/norms';
import { biasFlag, windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';

/** BitNet b1.58: one more norm inside attention and one inside the MLP. */
export function readBitnet(fields: ConfigFields): Backbone {
  return llamaBlock(fields, {
    family: 'bitnet',
    mixer: windowed(fields, { bias: biasFlag(fields, 'attention_bias') }, constant(null)),
    feedForward: constant(gatedMlp(fields, { activation: fields.text('hidden_act', 'relu2') })),
    ownNode: (part, hidden) => {
      if (part.kind === 'attention') {
        const node = attentionNode(part, hidden);
        return { ...node, children: [...node.children, norm('attn_sub_norm', hidden, rmsNorm)] };
      }
      if (part.kind !== 'mlp') return null;
      const node = mlpNode(part, hidden);
      return { ...node, children: [...node.children, norm('ffn_sub_norm', part.width, rmsNorm)] };
    },
  });
}
