/** A decoder of unknown type as llama's block, with what its fields ask for; refused where they ask for something else. */
import { message } from '../../i18n/message';
import { allBias, inputBias, noBias, softmaxAttention } from '../../model/attention';
import type { Backbone } from '../../model/backbone';
import { expertGroups, expertMixture, gatedMlp } from '../../model/feedForward';
import type { ConfigFields } from '../../model/configFields';
import { layerNorm, rmsNorm } from '../../model/norms';
import { UnreadableModel } from '../../model/unreadableModel';
import { sparseLayers } from '../../model/sparseLayers';
import { slidingWindows } from '../../model/windows';
import { constant, llamaBlock } from '../common/config/llamaBlock';

/** Fields of mixers that no attention block can stand for. */
const otherMixers = [
  'hybrid_override_pattern',
  'layers_block_type',
  'linear_attn_config',
  'compress_ratios',
  'ssm_cfg',
  'mamba_d_state',
  'ssm_state_size',
  'state_size',
  'time_mix_extra_dim',
  'attention_hidden_size',
];

/** Fields of parts that no plain encoder or decoder has: a second stack, tables of entities or codes, bottlenecks, grouped products. */
const otherParts = [
  'is_encoder_decoder',
  'num_decoder_layers',
  'decoder_layers',
  'encoder_layers',
  'attention_window',
  'attention_window_size',
  'lru_width',
  'entity_vocab_size',
  'intra_bottleneck_size',
  'input_embedding_size',
  'q_groups',
  'num_codebooks',
  'zero_expert_num',
];

/** What every block of attention and MLP needs, in the order in which a missing one is named. */
const needed = ['hidden_size', 'num_hidden_layers', 'num_attention_heads', 'vocab_size', 'intermediate_size'];

/** Throws where a needed field is missing, or where a field tells of what is no block of attention and MLP. */
export function refuseOthers(fields: ConfigFields, modelType: string | null): void {
  const missing = needed.find((name) => !fields.has(name));
  if (missing !== undefined) {
    throw new UnreadableModel(
      modelType === null
        ? message('model.notTransformer', { field: missing })
        : message('model.unknownType', { modelType, field: missing }),
    );
  }
  const types = fields.names('layer_types') ?? [];
  const isOtherType = types.some((type) => !/attention$/.test(type) || type.startsWith('linear'));
  const mixer = otherMixers.find((name) => fields.has(name)) ?? (isOtherType ? 'layer_types' : undefined);
  if (mixer !== undefined)
    throw new UnreadableModel(
      modelType === null
        ? message('model.unknownMixerWithoutType', { field: mixer })
        : message('model.unknownMixer', { modelType, field: mixer }),
    );
  const part = otherParts.find((name) => isSwitchedOn(fields, name));
  if (part !== undefined)
    throw new UnreadableModel(message('model.unknownParts', { modelType: modelType ?? '-', field: part }));
}

/** Whether a field is there and neither false nor 0, with which files say that they have no such part. */
function isSwitchedOn(fields: ConfigFields, name: string): boolean {
  const value = fields.find(name)?.value;
  return value !== undefined && value !== false && value !== 0;
}

/** llama's block with the biases, norms, experts and windows that the fields ask for. */
export function nearestDecoder(fields: ConfigFields): Backbone {
  const isLayerNorm = !fields.has('rms_norm_eps') && fields.has('layer_norm_eps');
  const norm = isLayerNorm ? layerNorm : rmsNorm;
  const everyBias = fields.flag('attention_bias', fields.flag('bias', false));
  const queryBias = fields.flag('qkv_bias', fields.flag('use_qkv_bias', false));
  const attention = softmaxAttention(fields, fields.size('hidden_size'), {
    bias: everyBias ? allBias : queryBias ? inputBias : noBias,
    queryKeyNorm: ['use_qk_norm', 'qk_norm', 'qk_layernorm'].some((name) => fields.flag(name, false))
      ? { over: 'head', norm }
      : null,
  });
  const windowOf = slidingWindows(fields, fields.flag('use_sliding_window', false) ? 1 : null);
  const mlp = gatedMlp(fields, { bias: fields.flag('mlp_bias', false) });
  // Doge's files have the numbers of a mixture whether or not they are one.
  const hasExperts = fields.flag('is_moe', true) && fields.count('num_experts', 0) > 1;
  const sparse = sparseLayers(fields);
  const sharedCount = fields.count('n_shared_experts', fields.count('num_shared_experts', 0));
  const width = fields.sizeOr('moe_intermediate_size', mlp.width);
  const moe = hasExperts
    ? expertMixture(fields, {
        expertWidth: width,
        routerScore: fields.text('scoring_func', 'softmax') === 'sigmoid' ? 'sigmoid' : 'softmax',
        groups: fields.has('n_group') ? expertGroups(fields, 1, 1) : null,
        shared:
          sharedCount === 0 ? null : { mlp: gatedMlp(fields, { width: sharedCount * width }), gate: false },
      })
    : null;
  return llamaBlock(fields, {
    family: 'llama',
    norm,
    mixer: (index) => ({ ...attention, window: windowOf(index) }),
    feedForward: moe === null ? constant(mlp) : (index) => (sparse(index) ? moe : mlp),
  });
}
