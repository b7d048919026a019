/** Models of a type that has no definition: by their class, by a nested language model, or by the fields they have. */
import { message, type Message } from '../i18n/message';
import { allBias, inputBias, noBias, softmaxAttention } from './attention';
import type { Backbone } from './backbone';
import { decoderModel, type ReadArchitecture } from './decoderClasses';
import { bert } from './families/bert';
import { families, type Family } from './families/registry';
import { visionLanguage, type Part } from './families/visionLanguage';
import { constant, llamaBlock } from './families/llamaBlock';
import { expertMixture, gatedMlp } from './feedForward';
import type { Fields } from './fields';
import { modelClassOf } from './modelClass';
import { layerNorm, rmsNorm } from './norms';
import { Refusal } from './refusal';
import { sparseLayers } from './sparseLayers';
import { slidingWindows } from './windows';

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

/** What every block of attention and MLP needs, in the order in which a missing one is named. */
const needed = ['hidden_size', 'num_hidden_layers', 'num_attention_heads', 'vocab_size', 'intermediate_size'];

/** Reads a config whose `model_type` is unknown or missing; refuses it where the fields are not those of a block we know. */
export function readNearest(fields: Fields, modelType: string | null): ReadArchitecture {
  const byClass = familyOfClass(fields);
  if (byClass !== null) {
    const [type, family] = byClass;
    const read = family.read(fields, modelClassOf(fields, family.baseClass));
    return warned(read, nearestWarning(modelType, type));
  }
  const part = ['text_config', 'language_config', 'llm_config', 'thinker_config'].find((name) =>
    fields.has(name),
  );
  if (part === 'thinker_config') {
    const thinker = fields.part(part);
    if (thinker !== null) return readNearest(thinker, thinker.text('model_type', modelType ?? ''));
  }
  if (part !== undefined) return nestedLanguage(fields, modelType ?? '');
  refuseOthers(fields, modelType);
  if (looksLikeBert(fields)) {
    const read = bert(fields, modelClassOf(fields, 'BertModel'));
    return warned(read, nearestWarning(modelType, 'bert'));
  }
  const backbone = nearestDecoder(fields);
  const read = decoderModel(backbone, modelClassOf(fields, 'LlamaModel'));
  return warned(read, nearestWarning(modelType, backbone.family));
}

function nearestWarning(modelType: string | null, family: string): Message {
  return modelType === null
    ? message('model.nearestWithoutType', { family })
    : message('model.nearest', { modelType, family });
}

function warned(read: ReadArchitecture, warning: Message): ReadArchitecture {
  return { ...read, warnings: [warning, ...read.warnings] };
}

/** The family whose class `architectures[0]` is one of: `BertForMaskedLM` belongs to `BertModel`. */
function familyOfClass(fields: Fields): readonly [string, Family] | null {
  const named = fields.list('architectures')?.[0];
  if (typeof named !== 'string') return null;
  const stem = (name: string): string =>
    name.replace(/(Text)?Model$|For[A-Z]\w*$|LMHeadModel$|EncoderModel$|MTModel$/, '');
  const wanted = stem(named);
  if (wanted === '' || wanted === named) return null;
  return Object.entries(families).find(([, family]) => stem(family.baseClass) === wanted) ?? null;
}

/** Only the language model: what the other parts are is not known. */
function nestedLanguage(fields: Fields, modelType: string): ReadArchitecture {
  const parts: readonly Part[] = [{ kind: 'language' }];
  const read = visionLanguage(fields, modelClassOf(fields, 'Model'), {
    family: 'text_only',
    baseClass: 'Model',
    textType: 'llama',
    tie: { by: 'either' },
    parts: () => parts,
  });
  return warned(read, message('model.textOnly', { modelType }));
}

function refuseOthers(fields: Fields, modelType: string | null): void {
  const missing = needed.find((name) => !fields.has(name));
  if (missing !== undefined) {
    throw new Refusal(
      modelType === null
        ? message('model.notTransformer', { field: missing })
        : message('model.unknownType', { modelType, field: missing }),
    );
  }
  const other = otherMixers.find((name) => fields.has(name));
  const types = fields.names('layer_types') ?? [];
  if (other !== undefined || types.some((type) => !/attention$/.test(type) || type.startsWith('linear')))
    throw new Refusal(
      message('model.unknownMixer', { modelType: modelType ?? '', field: other ?? 'layer_types' }),
    );
}

/** Token types, no rope, no grouped heads: the block of 2018. */
function looksLikeBert(fields: Fields): boolean {
  const isLater = ['rms_norm_eps', 'rope_theta', 'num_key_value_heads', 'rope_parameters'].some((name) =>
    fields.has(name),
  );
  return !isLater && (fields.has('type_vocab_size') || fields.has('attention_probs_dropout_prob'));
}

/** llama's block with the biases, norms, experts and windows that the fields ask for. */
function nearestDecoder(fields: Fields): Backbone {
  const epsilon = fields.number('norm_eps', 1e-6);
  const isLayerNorm = !fields.has('rms_norm_eps') && fields.has('layer_norm_eps');
  const norm = isLayerNorm ? layerNorm(epsilon) : rmsNorm(epsilon);
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
  const hasExperts = fields.count('num_experts', 0) > 1;
  const sparse = sparseLayers(fields);
  const sharedCount = fields.count('n_shared_experts', fields.count('num_shared_experts', 0));
  const width = fields.sizeOr('moe_intermediate_size', mlp.width);
  const moe = hasExperts
    ? expertMixture(fields, {
        expertWidth: width,
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
