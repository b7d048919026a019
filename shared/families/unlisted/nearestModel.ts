/** Models of a type that has no definition: by their class, by a nested language model, or by the fields they have. */
import { type Message, message } from '../../i18n/message';
import { type ReadArchitecture, decoderModel } from '../../model/decoderClasses';
import type { ConfigFields } from '../../model/configFields';
import { modelClassOf } from '../../model/modelClass';
import { readBert } from '../bert/config';
import { language, visionLanguage } from '../common/config/visionLanguage';
import { readVit } from '../vit/config';
import { readWav2vec2 } from '../wav2vec2/config';
import type { ModelType } from '../declaration';
import { findModelType, listedTypes, readWhole } from '../registry';
import { nearestDecoder, refuseOthers } from './nearestDecoder';

/** Reads a config whose `model_type` is unknown or missing; refuses it where the fields are not those of a block we know. */
export function readNearest(fields: ConfigFields, modelType: string | null): ReadArchitecture {
  const byClass = typeOfClass(fields);
  if (byClass !== null) {
    const [name, type] = byClass;
    const read = readWhole(type, fields, modelClassOf(fields, type.baseClass));
    return warned(read, nearestWarning(modelType, name));
  }
  const part = ['text_config', 'language_config', 'llm_config', 'thinker_config'].find((name) =>
    fields.has(name),
  );
  if (part === 'thinker_config') {
    const thinker = fields.part(part);
    if (thinker !== null) return readNearest(thinker, thinker.text('model_type', modelType ?? ''));
  }
  if (part !== undefined) return nestedLanguage(fields, modelType ?? '');
  if (looksLikeSpeech(fields)) {
    const read = readWav2vec2(fields, modelClassOf(fields, 'Wav2Vec2Model'));
    return warned(read, nearestWarning(modelType, 'wav2vec2'));
  }
  if (looksLikeVit(fields)) {
    const read = readVit(fields, modelClassOf(fields, 'ViTModel'));
    return warned(read, nearestWarning(modelType, 'vit'));
  }
  refuseOthers(fields, modelType);
  if (looksLikeBert(fields)) {
    const read = readBert(fields, modelClassOf(fields, 'BertModel'));
    return warned(read, nearestWarning(modelType, 'bert'));
  }
  const backbone = nearestDecoder(fields);
  const read = decoderModel(backbone, modelClassOf(fields, 'LlamaModel'));
  const nearest = warned(read, nearestWarning(modelType, backbone.family));
  return towerFields.some((name) => fields.has(name))
    ? warned(nearest, message('model.textOnly', { modelType: modelType ?? '-' }))
    : nearest;
}

/** Fields of towers and their adapters in files that have the language model's fields beside them (Phi-4 Multimodal, IDEFICS). */
const towerFields = ['vision_config', 'audio_config', 'img_processor', 'audio_processor', 'vision_lora'];

function nearestWarning(modelType: string | null, family: string): Message {
  return modelType === null
    ? message('model.nearestWithoutType', { family })
    : message('model.nearest', { modelType, family });
}

function warned(read: ReadArchitecture, warning: Message): ReadArchitecture {
  return { ...read, warnings: [warning, ...read.warnings] };
}

/** The model type whose class `architectures[0]` is one of: `BertForMaskedLM` belongs to `BertModel`. */
function typeOfClass(fields: ConfigFields): readonly [string, ModelType] | null {
  const named = fields.list('architectures')?.[0];
  if (typeof named !== 'string') return null;
  const stem = (name: string): string =>
    name.replace(/(Text)?Model$|For[A-Z]\w*$|LMHeadModel$|EncoderModel$|MTModel$/, '');
  const wanted = stem(named);
  if (wanted === '' || wanted === named) return null;
  return findModelType(({ baseClass }) => stem(baseClass) === wanted);
}

/** Only the language model: what the other parts are is not known. */
function nestedLanguage(fields: ConfigFields, modelType: string): ReadArchitecture {
  const textOnly = {
    family: 'text_only',
    textType: null,
    tie: { by: 'either' },
    parts: () => [language],
  } as const;
  const read = visionLanguage(fields, modelClassOf(fields, 'Model'), textOnly, listedTypes);
  return warned(read, message('model.textOnly', { modelType }));
}

/** Convolutions over a waveform before the layers (WavLM, UniSpeech, data2vec). */
const looksLikeSpeech = (fields: ConfigFields): boolean =>
  ['conv_dim', 'conv_kernel', 'hidden_size', 'num_hidden_layers', 'intermediate_size'].every((name) =>
    fields.has(name),
  );

/** Patches of an image and no words (ViT-MSN, ViT-MAE, YOLOS, DINOv3). */
const looksLikeVit = (fields: ConfigFields): boolean =>
  !fields.has('vocab_size') &&
  ['image_size', 'patch_size', 'hidden_size', 'num_hidden_layers', 'num_attention_heads'].every((name) =>
    fields.has(name),
  );

/** Token types, no rope, no grouped heads: the block of 2018. */
function looksLikeBert(fields: ConfigFields): boolean {
  const isLater = ['rms_norm_eps', 'rope_theta', 'num_key_value_heads', 'rope_parameters'].some((name) =>
    fields.has(name),
  );
  return !isLater && (fields.has('type_vocab_size') || fields.has('attention_probs_dropout_prob'));
}
