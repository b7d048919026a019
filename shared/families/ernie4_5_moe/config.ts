import type { FeedForward, MixtureOfExperts, SoftmaxAttention } from '../../model/architecture';
import { allBias, noBias } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { expertMixture, expertsNode, gatedMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import type { ModuleNode } from '../../model/modules';
import { leaf, tensor } from '../../model/nodes';
import { windowed } from '../common/config/llamaAttention';
import { constant, llamaBlock } from '../common/config/llamaBlock';

/** ERNIE 4.5: experts between two layers of the stack; the router's correction is a parameter of its own module. */
export function readErnie45Moe(fields: ConfigFields): Backbone {
  const bias = fields.flag('use_bias', false);
  const attentionBias: SoftmaxAttention['bias'] = bias ? allBias : noBias;
  const layers = fields.layers();
  const step = fields.sizeOr('moe_layer_interval', 1);
  const first = fields.count('moe_layer_start_index', 1);
  const lastField = fields.number('moe_layer_end_index', -1);
  const last = lastField < 0 ? layers - 1 : lastField;
  const isSparse = (index: number): boolean => (index + 1) % step === 0 && index >= first && index <= last;
  const dense = gatedMlp(fields, { bias });
  const sharedCount = fields.count('moe_num_shared_experts', 2);
  const width = fields.size('moe_intermediate_size');
  const moe = expertMixture(fields, {
    shared:
      sharedCount === 0 ? null : { mlp: gatedMlp(fields, { width: sharedCount * width, bias }), gate: false },
  });
  return llamaBlock(fields, {
    family: 'ernie4_5_moe',
    mixer: windowed(fields, { bias: attentionBias }, constant(null)),
    feedForward: (index): FeedForward => (isSparse(index) ? moe : dense),
    ownNode: (part, hidden) => (part.kind === 'experts' ? ernieExperts(part, hidden) : null),
    head: { tied: true, bias },
  });
}

function ernieExperts(moe: MixtureOfExperts, hidden: number): ModuleNode {
  const node = expertsNode(moe, hidden);
  const correction = { ...tensor('e_score_correction_bias', 1, moe.experts), frozen: true };
  return {
    ...node,
    children: node.children.map((child) =>
      child.name === 'gate' ? { ...child, children: [leaf('moe_statics', 'other', [correction])] } : child,
    ),
  };
}
