import type { Backbone } from '../../model/backbone';
import { gatedMlp, mlpNode } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { fp32Buffer, leaf, tensor, withBuffers } from '../../model/nodes';
import { rmsNorm } from '../../model/norms';
import { biasFlag, windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';

/** Apertus: a plain MLP whose activation has two learned numbers. */
export function readApertus(fields: ConfigFields): Backbone {
  const activation = withBuffers(leaf('act_fn', 'other', [tensor('alpha_p', 1), tensor('alpha_n', 1)]), [
    fp32Buffer('beta'),
    fp32Buffer('eps'),
  ]);
  return llamaBlock(fields, {
    family: 'apertus',
    norms: ['attention_layernorm', 'feedforward_layernorm'],
    mixer: windowed(
      fields,
      { bias: biasFlag(fields, 'attention_bias'), queryKeyNorm: { over: 'head', norm: rmsNorm } },
      constant(null),
    ),
    feedForward: constant(gatedMlp(fields, { gated: false, activation: fields.text('hidden_act', 'xielu') })),
    ownNode: (part, hidden) => {
      if (part.kind !== 'mlp') return null;
      const node = mlpNode(part, hidden);
      return part.activation === 'xielu' ? { ...node, children: [...node.children, activation] } : node;
    },
  });
}
