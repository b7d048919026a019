/** Nemotron-H: layers of Mamba 2, attention, MLPs and experts, one after another as the file lists them. */
import { message } from '../../i18n/message';
import type { FeedForward, SoftmaxAttention } from '../../model/architecture';
import { attentionNode, llamaAttention, softmaxAttention } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { expertGroups, gatedMlp, llamaMlp, mlpLayers } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { buildLayers } from '../../model/layers';
import type { ModuleNode } from '../../model/modules';
import { block, fp32Buffer, group, leaf, linear, norm, tensor, withBuffers } from '../../model/nodes';
import { rmsNorm } from '../../model/norms';
import { layerOf, shell } from '../common/config/stateSpaceModel';
import { mamba2Facts, mixerNode } from '../mamba2/config';

type NemotronLayer = 'mamba' | 'attention' | 'mlp' | 'moe';

/** Kinds of layers by letter, and by the names that transformers 5 and the published files give them. */
const nemotronKinds: Readonly<Record<string, NemotronLayer>> = {
  M: 'mamba',
  mamba: 'mamba',
  linear_attention: 'mamba',
  '*': 'attention',
  attention: 'attention',
  full_attention: 'attention',
  '-': 'mlp',
  mlp: 'mlp',
  E: 'moe',
  moe: 'moe',
};

/** Where a file lists the kinds of its layers: `layers_block_type`, `layer_types`, or a pattern of letters. */
function nemotronList(fields: ConfigFields): string {
  return ['layers_block_type', 'layer_types'].find((name) => fields.has(name)) ?? 'hybrid_override_pattern';
}

function nemotronLayers(fields: ConfigFields): readonly NemotronLayer[] {
  const field = nemotronList(fields);
  const names =
    field === 'hybrid_override_pattern' ? [...fields.text(field, '')] : (fields.names(field) ?? []);
  if (names.length === 0) throw fields.missing('layers_block_type');
  return names.map((name) => {
    const kind = Object.hasOwn(nemotronKinds, name) ? nemotronKinds[name] : undefined;
    if (kind === undefined) throw fields.wrong(field, name, 'model.expectedLayerKind');
    return kind;
  });
}

/** Nemotron-H and Nemotron 3. Refused where no kinds of layers are listed or one is not known. */
export function readNemotronH(fields: ConfigFields): Backbone {
  const hidden = fields.size('hidden_size');
  const kinds = nemotronLayers(fields);
  const facts = mamba2Facts(
    fields,
    fields.sizeOr('mamba_num_heads', 128),
    fields.sizeOr('mamba_head_dim', 64),
  );
  const attention: SoftmaxAttention = softmaxAttention(fields, hidden, {
    headDim: fields.sizeOr('head_dim', fields.sizeOr('attention_head_dim', 128)),
    positions: false,
  });
  const activation = fields.text('mlp_hidden_act', 'relu2');
  const mlp = gatedMlp(fields, { gated: false, bias: fields.flag('mlp_bias', false), activation });
  const { layers, nodes } = buildLayers(
    kinds.length,
    (index) => {
      switch (kinds[index]) {
        case 'mamba':
          return layerOf(facts, { kind: 'none' }, rmsNorm);
        case 'attention':
          return layerOf(attention, { kind: 'none' }, rmsNorm);
        case 'mlp':
          return layerOf({ kind: 'none' }, mlp, rmsNorm);
        default:
          return layerOf({ kind: 'none' }, nemotronExperts(fields, activation), rmsNorm);
      }
    },
    ({ mixer, feedForward }) =>
      block([
        norm('norm', hidden, rmsNorm),
        mixer.kind === 'state-space'
          ? mixerNode(fields, facts, hidden)
          : mixer.kind === 'attention'
            ? attentionNode(mixer, hidden, { ...llamaAttention, module: 'mixer' })
            : feedForward.kind === 'mlp'
              ? group('mixer', mlpLayers(feedForward, hidden, llamaMlp))
              : nemotronExpertsNode(fields, feedForward, hidden),
      ]),
  );
  const said = fields.optionalSize('num_hidden_layers');
  const warnings =
    said === null || said === kinds.length
      ? []
      : [
          message('model.layersDisagree', {
            field: 'num_hidden_layers',
            found: said,
            listed: kinds.length,
            listField: nemotronList(fields),
          }),
        ];
  return shell(fields, {
    family: 'nemotron_h',
    norm: rmsNorm,
    tied: 'never',
    layers,
    nodes,
    base: 'model',
    warnings,
  });
}

/** Experts without gates, over a narrower input where `moe_latent_size` says so. */
function nemotronExperts(fields: ConfigFields, activation: string): FeedForward {
  const sharedWidth = fields.sizeOr(
    'moe_shared_expert_intermediate_size',
    fields.size('moe_intermediate_size'),
  );
  return {
    kind: 'experts',
    experts: fields.experts('n_routed_experts'),
    expertsPerToken: fields.sizeOr('num_experts_per_tok', 2),
    expertWidth: fields.size('moe_intermediate_size'),
    gated: false,
    activation,
    bias: false,
    shared: {
      mlp: gatedMlp(fields, {
        gated: false,
        width: sharedWidth,
        activation,
        bias: fields.flag('mlp_bias', false),
      }),
      gate: false,
    },
    dense: null,
    routerBias: false,
    routerScore: 'sigmoid',
    normalised: fields.flag('norm_topk_prob', true),
    groups: expertGroups(fields, 1, 1),
  };
}

function nemotronExpertsNode(fields: ConfigFields, moe: FeedForward, hidden: number): ModuleNode {
  if (moe.kind !== 'experts') return group('mixer', []);
  const latent = fields.optionalSize('moe_latent_size');
  const size = latent ?? hidden;
  const { experts, expertWidth, shared } = moe;
  return group('mixer', [
    leaf('experts', 'expert', [
      tensor('up_proj', experts, expertWidth, size),
      tensor('down_proj', experts, size, expertWidth),
    ]),
    withBuffers(leaf('gate', 'router', [tensor('weight', experts, hidden)]), [
      fp32Buffer('e_score_correction_bias', experts),
    ]),
    shared === null ? null : group('shared_experts', mlpLayers(shared.mlp, hidden, llamaMlp)),
    latent === null ? null : linear('fc1_latent_proj', hidden, latent),
    latent === null ? null : linear('fc2_latent_proj', latent, hidden),
  ]);
}
